/** A connection that is gone holds no memory, however it ended: what callers can do again and again must not add up. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import koffi from 'koffi';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Visit, Door } from '#runtime/door/port.ts';
import { openUwsDoor } from '#runtime/door/uws.ts';
import { Wire } from './wire.ts';

const CONNECTIONS = 300;
/** The first warms up. What waits for a collection or for a thread that frees it adds to some rounds, and never takes from one: the least of each half counts. */
const ROUNDS = 11;
const LOOKS = 3;
/** A connection of the addon takes 464 bytes; what is left of one that is gone comes from the test itself. */
const LEFT_BYTES_MAX = 100;
const AT_ONCE = 16;

const FIELDS = [
  'arena',
  'ordblks',
  'smblks',
  'hblks',
  'hblkhd',
  'usmblks',
  'fsmblks',
  'uordblks',
  'fordblks',
  'keepcost',
];
const figures = koffi.struct(Object.fromEntries(FIELDS.map((name) => [name, 'size_t'])));

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const mallinfo2 = koffi.load('libc.so.6').func('mallinfo2', figures, []) as () => Record<string, number>;

/**
 * What malloc has given out and not taken back, in bytes, behind a collection: buffers lie there too. A thread of V8 frees the
 * buffers that a collection found, at the latest before the next one. mallinfo(3)
 */
async function allocated(): Promise<number> {
  const looks: number[] = [];
  for (let look = 0; look < LOOKS; look++) {
    collect();
    collect();
    looks.push(mallinfo2()['uordblks']!);
    await new Promise((resolve) => void setTimeout(resolve, 5));
  }
  return Math.min(...looks);
}

/** By how much the least of the second half is above that of the first, in bytes a round. */
function growth(rounds: readonly number[]): number {
  const half = Math.floor(rounds.length / 2);
  const least = (from: number, to: number): number => rounds.indexOf(Math.min(...rounds.slice(from, to)), from);
  const [first, second] = [least(0, half), least(half, rounds.length)];
  return (rounds[second]! - rounds[first]!) / (second - first);
}

const HEAD = 'HTTP/1.1\r\nHost: door.test\r\n';
const ENDS: Readonly<Record<string, string>> = {
  'an answer, then the caller closes': `GET / ${HEAD}\r\n`,
  'an unknown verb': `BREW / ${HEAD}\r\n`,
  'a target that is no target': `GET /\u007f ${HEAD}\r\n`,
  'fields that could smuggle': `POST / ${HEAD}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  'another version': 'GET / HTTP/3.0\r\nHost: door.test\r\n\r\n',
  'a chunked body': `POST /read ${HEAD}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`,
  'an unread body': `POST /unread ${HEAD}Content-Length: 3\r\n\r\nabc`,
  'a body that is too large': `POST /read ${HEAD}Content-Length: 2000\r\n\r\n`,
  'a large answer to a chunked body': `POST /large ${HEAD}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
};

const LARGE = 'x'.repeat(100_000);

function serve(visit: Visit): void {
  const answer = (): void => visit.answer(200, '', visit.path === '/large' ? LARGE : 'x');
  if (visit.path === '/unread') visit.answer(401, '', '');
  else visit.readBody(1000, answer, () => visit.answer(413, '', ''));
}

describe.runIf(process.platform === 'linux')('a connection that ended leaves no memory behind', () => {
  let door: Door;
  beforeAll(async () => {
    door = await openUwsDoor({ host: '127.0.0.1', port: 0, drainMs: 200, onFault: () => undefined }, serve);
  });
  afterAll(() => door.close());

  async function one(bytes: string): Promise<number> {
    const wire = await Wire.open(door.port);
    wire.send(bytes);
    const answer = await wire.answer();
    wire.end();
    await wire.closed;
    return answer?.status ?? 0;
  }

  async function connections(bytes: string, count: number): Promise<void> {
    let left = count;
    const caller = async (): Promise<void> => {
      while (left-- > 0) expect(await one(bytes)).toBeGreaterThan(0);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, caller));
    // What has closed is freed within two turns of the loop.
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => void setTimeout(resolve, 2));
  }

  test.each(Object.keys(ENDS))('%s', async (name) => {
    const held: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      await connections(ENDS[name]!, CONNECTIONS);
      held.push(await allocated());
    }
    const left = growth(held.slice(1)) / CONNECTIONS;
    expect(left, `bytes held, by round: ${held.join(' ')}`).toBeLessThan(LEFT_BYTES_MAX);
  });
});
