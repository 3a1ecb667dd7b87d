/** The status line and header lines of an answer, made from the port's `Name: value\n` lines. */
import { STATUS_CODES } from 'node:http';

const statusLines: string[] = [];
for (const [status, reason] of Object.entries(STATUS_CODES)) statusLines[Number(status)] = `${status} ${reason}`;

/** Lines of a token, a colon, a space and visible ASCII. Anything else (a CR, say) would let a value write the answer. */
const SOUND_LINES = /^(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+: [\t\x20-\x7e]*\n)*$/;

/** `200 OK`; a status without a known reason has an empty one. */
export function statusLine(status: number): string {
  return statusLines[status] ?? `${status} `;
}

/** Throws on header lines that are not in the port's form; the door then answers 500. */
function checkHeaderLines(headers: string): void {
  if (!SOUND_LINES.test(headers)) throw new Error('door: malformed header lines in an answer');
}

/** How many heads are cached: hot routes send the same one again and again, apart from the request id. */
const READY_MAX = 256;

/** A cache of pairs, by their header lines: lines that were checked once need no second check. */
const readyPairs = new Map<string, readonly string[]>();

/** `Name`, `value`, `Name`, `value` …, for node:http, in an array that the caller may change. */
export function headerPairs(headers: string): string[] {
  const known = readyPairs.get(headers);
  if (known !== undefined) return known.slice();
  const pairs = pairsOf(headers);
  if (setsCookie(headers)) return pairs;
  // Lines that contain a time of day are not used again, so the oldest entries go first.
  if (readyPairs.size >= READY_MAX) readyPairs.delete(readyPairs.keys().next().value!);
  readyPairs.set(headers, pairs);
  return pairs.slice();
}

function pairsOf(headers: string): string[] {
  checkHeaderLines(headers);
  const pairs: string[] = [];
  let at = 0;
  while (at < headers.length) {
    const colon = headers.indexOf(': ', at);
    const end = headers.indexOf('\n', colon);
    pairs.push(headers.slice(at, colon), headers.slice(colon + 2, end));
    at = end + 1;
  }
  return pairs;
}

/** Status and lines in one text, for a single call into the addon. */
export class AnswerHeads {
  readonly #ready = new Map<string, string>();
  #status = 0;
  #headers = '';
  #head = '';

  /** `requestId` is visible ASCII, or '' for none. */
  of(status: number, headers: string, requestId: string): string {
    if (status === this.#status && headers === this.#headers) return withId(this.#head, requestId);
    if (setsCookie(headers)) return withId(headOf(status, headers), requestId);
    this.#select(status, headers);
    return withId(this.#head, requestId);
  }

  #select(status: number, headers: string): void {
    const key = `${status}\n${headers}`;
    let head = this.#ready.get(key);
    if (head === undefined) {
      head = headOf(status, headers);
      if (this.#ready.size < READY_MAX) this.#ready.set(key, head);
    }
    this.#status = status;
    this.#headers = headers;
    this.#head = head;
  }
}

function headOf(status: number, headers: string): string {
  checkHeaderLines(headers);
  // The addon ends the status line by itself, so the last line's end is left out.
  return `${statusLine(status)}\n${headers}`.slice(0, -1).replaceAll('\n', '\r\n');
}

function withId(head: string, requestId: string): string {
  return requestId === '' ? head : `${head}\r\nX-Request-Id: ${requestId}`;
}

/** A cookie may hold a credential, so its lines are never kept. */
function setsCookie(headers: string): boolean {
  return headers.includes('Set-Cookie: ');
}

/** 204 and 304 carry neither body nor length here (RFC 9110 §8.6, §15.4.5). */
export function isBodyless(status: number): boolean {
  return status === 204 || status === 304;
}
