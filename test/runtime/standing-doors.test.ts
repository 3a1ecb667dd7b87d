/** When the doors of a node that stands by open, what they wait for, and what is said of it. */
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Platform } from '#config/platform.ts';
import { StandingDoors } from '#runtime/standing-doors.ts';

type Read = (() => Promise<Platform>) | null;

function bench(read: Read, closed: { why: string; mend: string } | null = null) {
  const said: string[] = [];
  const known: Platform[] = [];
  const opened: Platform[] = [];
  const later: (() => void)[] = [];
  const log = {
    info: (_: object, text: string) => void said.push(text),
    warn: (fields: object, text: string) => void said.push(`${text} | ${(fields as { mend?: string }).mend ?? ''}`),
    error: () => undefined,
  };
  let mayOpen: Promise<void> = Promise.resolve();
  const it = new StandingDoors({
    platform: NAMED,
    closed,
    read,
    open: async (platform) => {
      opened.push(platform);
      await mayOpen;
      return { urls: {}, know: (next) => void known.push(next) };
    },
    log,
    after: (_, run) => {
      later.push(run);
      return () => void later.splice(later.indexOf(run), 1);
    },
  });
  return { it, said, known, opened, later, holds: (until: Promise<void>) => void (mayOpen = until) };
}

const NAMED = {} as Platform;
const platform = (secret: string): Platform => ({ intake: { security: { gateway_secret: secret } } }) as Platform;

test('doors that need nothing open at once, and a port that is taken is no secret', async () => {
  const { it, opened, later } = bench(null);
  await it.waits();
  expect([opened, it.closed, later]).toEqual([[NAMED], null, []]);
  const taken = bench(null);
  taken.holds(Promise.reject(new Error('the port is taken')));
  await expect(taken.it.waits()).rejects.toThrow('the port is taken');
});

test('doors that stay closed say why, once, and what to do', async () => {
  const { it, opened, said } = bench(null, { why: 'it lies in lmdb', mend: 'set postgres' });
  await it.waits();
  await it.waits();
  expect([it.closed, opened]).toEqual(['it lies in lmdb', []]);
  expect(said).toEqual(['it lies in lmdb: the doors of this node stay closed while it stands by | set postgres']);
});

test('beats do not wait for the vault; what cannot be read is read again, and said once', async () => {
  let answer: () => Promise<Platform> = () => Promise.reject(new Error('no root key\n    make one'));
  const { it, later, opened, said } = bench(() => answer());
  await it.waits();
  expect(it.closed).toBeNull();
  await turn();
  expect([it.closed, later.length]).toEqual(['no root key', 1]);
  later.shift()!();
  await turn();
  expect(said).toEqual([
    'no root key: the doors of this node stay closed while it stands by; it is tried again | make one',
  ]);
  answer = () => Promise.resolve(platform('one'));
  later.shift()!();
  await turn();
  expect([it.closed, opened, later]).toEqual([null, [platform('one')], []]);
});

test('another node that serves may have other secrets: they are read again, and open doors go on meanwhile', async () => {
  let answer: () => Promise<Platform> = () => Promise.resolve(platform('one'));
  const { it, known, later, opened, said } = bench(() => answer());
  await it.waits();
  await turn();
  answer = () => Promise.reject(new Error('away'));
  await it.waits();
  await turn();
  expect([it.closed, known, said.at(-1)]).toEqual([
    null,
    [],
    'away: the doors of this node go on with the secrets that they have; it is tried again | ',
  ]);
  answer = () => Promise.resolve(platform('two'));
  later.shift()!();
  await turn();
  expect([opened, known]).toEqual([[platform('one')], [platform('two')]]);
});

test('a node that has its place opens nothing more: a read is left alone, doors that are being opened are waited for', async () => {
  const read = Promise.withResolvers<Platform>();
  const reading = bench(() => read.promise);
  await reading.it.waits();
  await reading.it.end();
  read.resolve(platform('late'));
  await turn();
  expect(reading.opened).toEqual([]);

  const opening = Promise.withResolvers<void>();
  const late = bench(() => Promise.resolve(platform('one')));
  late.holds(opening.promise);
  await late.it.waits();
  await turn();
  let isOver = false;
  const ended = late.it.end().then(() => (isOver = true));
  await turn();
  expect([isOver, late.opened.length]).toEqual([false, 1]);
  opening.resolve();
  await ended;
});
