/** Outcomes as reply records: status, header lines, body. `''` as headers stands for JSON, the common case. */
import { STREAMED, type Body } from '#actors/protocol/frame.ts';
import { refusalBody, refusalType, type Refusal } from '#actors/protocol/refusal.ts';
import type { Bytes } from '#actors/protocol/body.ts';
import { replyLines, type Reply } from '#actors/protocol/route.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

export interface Sender {
  send(no: number, status: number, headers: string, body: Body): void;
}

interface HeadSender {
  send(no: number, status: number, headers: string, length: number): void;
}

/** Serialises an outcome and sends it. */
export function renderOutcome(no: number, outcome: Reply | Refusal, to: Sender): void {
  renderWith(no, outcome, bodyOf(outcome), to);
}

export function bodyOf(outcome: Reply | Refusal): Body {
  if (outcome.kind === 'refusal') return refusalBody(outcome);
  return outcome.bytes ?? outcome.text ?? (outcome.body === undefined ? '' : JSON.stringify(outcome.body));
}

/** Sends an outcome with its body, or with the length of a body that follows in pieces. */
export function renderWith(
  no: number,
  outcome: Reply | Refusal,
  body: Body | number,
  to: { send(no: number, status: number, headers: string, body: Body | number): void },
): void {
  if (outcome.kind === 'refusal') {
    const type = body === '' ? 'none' : refusalType(outcome.family);
    to.send(no, outcome.status, headerLines(type, outcome.headers), body);
    return;
  }
  const type = outcome.type ?? (body === '' ? 'none' : JSON_TYPE);
  const lines = outcome.lines ?? headerLines(type, outcome.headers);
  to.send(no, outcome.status, outcome.cookies === undefined ? lines : withCookieLines(lines, outcome.cookies), body);
}

/** Lines that stand for JSON are written out, since others follow. */
function withCookieLines(lines: string, cookies: readonly string[]): string {
  const before = lines === '' ? `Content-Type: ${JSON_TYPE}\n` : lines === '\n' ? '' : lines;
  return before + cookies.map((cookie) => `Set-Cookie: ${cookie}\n`).join('');
}

/** A reply of bytes that is sent many times: its lines are written once, and its bytes get a buffer of their own, since crossing a thread copies a whole buffer. */
export function readyReply<S extends number, M extends string>(
  status: S,
  bytes: Uint8Array,
  type: M,
  headers: Readonly<Record<string, string>>,
): Reply<S, Bytes<M>> {
  return replyLines<S, Bytes<M>>(status, new Uint8Array(bytes), headerLines(type, headers));
}

/** Sends the head of a reply whose body follows in pieces: in the body's place stands its length. */
export function renderHead(no: number, { status, stream, type, headers }: Reply, to: HeadSender): void {
  to.send(no, status, headerLines(type ?? JSON_TYPE, headers), stream?.length ?? STREAMED);
}

/** `Name: value\n` lines; `''` when they only say that the body is JSON. */
function headerLines(type: string, headers: Readonly<Record<string, string>> | undefined): string {
  if (headers === undefined) {
    if (type === JSON_TYPE) return '';
    return type === 'none' ? '\n' : `Content-Type: ${type}\n`;
  }
  let lines = type === 'none' ? '' : `Content-Type: ${type}\n`;
  for (const name in headers) lines += `${name}: ${headers[name]!}\n`;
  return lines;
}
