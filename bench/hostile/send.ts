/** Sends an attack, and says what its sender was answered. */
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { Attack, Sent } from './attack.ts';

export interface Place {
  /** `http://host:port`. */
  readonly gateway: string;
  /** Position and credential of the tenant that attacks. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The longest that an answer is waited for. */
const ANSWER_MS_MAX = 60_000;
const TRICKLE_MS = 200;

async function answered(
  { gateway, headers }: Place,
  { method, path, body, type = 'application/json' }: Sent,
): Promise<{ status: number; text: string }> {
  const init = {
    method,
    headers: body === undefined ? headers : { ...headers, 'Content-Type': type },
    signal: AbortSignal.timeout(ANSWER_MS_MAX),
  };
  const answer = await fetch(gateway + path, body === undefined ? init : { ...init, body: body() });
  return { status: answer.status, text: await answer.text() };
}

/** Makes what the attack needs; the id of the first row. Throws when one of the requests is refused. */
export async function prepare(place: Place, { name, before = [] }: Attack): Promise<string> {
  let id = '';
  for (const sent of before) {
    const { status, text } = await answered(place, sent);
    if (status >= 300) throw new Error(`what ${name} needs was answered ${status} ${text.slice(0, 200)}`);
    if (id === '') id = (JSON.parse(text) as { data?: { id: string }[] }).data?.[0]?.id ?? '';
  }
  return id;
}

/** Sends it as often as it says; the statuses of the answers. What is not to be answered ends after `heldMs`. */
export async function send(place: Place, attack: Attack, id: string, heldMs: number): Promise<number[]> {
  const { times = 1, how = 'asked' } = attack;
  const sent = { ...attack.send, path: attack.send.path.replace('{id}', id) };
  const each = Array.from({ length: times }, async () => {
    if (how !== 'asked') return held(place, sent, how, heldMs);
    return (await answered(place, sent)).status;
  });
  return (await Promise.all(each)).filter((status): status is number => status !== null);
}

/** A connection that does not read its answer, or does not end its body; null, or the status that ended it. */
async function held(
  { gateway, headers }: Place,
  sent: Sent,
  how: 'unread' | 'trickled',
  heldMs: number,
): Promise<null> {
  const { hostname, port } = new URL(gateway);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on('error', () => undefined);
  const body = sent.body?.() ?? '';
  const length = how === 'trickled' ? 1_000_000 : Buffer.byteLength(body);
  const lines = [
    `${sent.method} ${sent.path} HTTP/1.1`,
    `Host: ${hostname}:${port}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === '' ? [] : [`Content-Type: ${sent.type ?? 'application/json'}`, `Content-Length: ${length}`]),
  ];
  socket.pause();
  socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
  for (let left = heldMs; left > 0 && !socket.destroyed; left -= TRICKLE_MS) {
    if (how === 'trickled') socket.write('x');
    await wait(TRICKLE_MS);
  }
  socket.destroy();
  return null;
}
