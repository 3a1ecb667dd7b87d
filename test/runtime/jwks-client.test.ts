/** The trusted issuer's keys without an issuer: what is asked when, and what stays. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { PublicKeyRecord } from '#actors/kit/token/ring.ts';
import { JwksClient } from '#runtime/jwks-client.ts';
import { limits } from '#config/limits.ts';

const { refreshMs, retryMs, unknownKeyMs } = limits.jwks;
const keys = (kid: string): PublicKeyRecord[] => [{ kid, x: '' }];

let answers: (readonly PublicKeyRecord[] | Error)[];
let shared: string[];
let timers: { ms: number; run: () => void; off: boolean }[];
let heard: (() => void) | null;
let fetches: number;
let warned: number;
let client: JwksClient;

const settle = () => new Promise((resolve) => setImmediate(resolve));
const due = (ms: number) => timers.filter((timer) => timer.ms === ms && !timer.off);

async function fire(ms: number): Promise<void> {
  const [timer] = due(ms);
  timer!.off = true;
  timer!.run();
  await settle();
}

beforeEach(() => {
  answers = [];
  shared = [];
  timers = [];
  heard = null;
  fetches = 0;
  warned = 0;
  const warn = () => void warned++;
  client = new JwksClient({
    fetch: async (stopped) => {
      fetches++;
      const answer = answers.shift() ?? new Error('away');
      await settle();
      if (stopped.aborted) throw new Error('stopped');
      if (answer instanceof Error) throw answer;
      return answer;
    },
    share: async (found) => void shared.push(found.map(({ kid }) => kid).join()),
    hear: (then) => {
      heard = then;
      return () => (heard = null);
    },
    after: (ms, run) => {
      const timer = { ms, run, off: false };
      timers.push(timer);
      return () => (timer.off = true);
    },
    log: { info: warn, warn, error: warn },
  });
});

describe('the keys of the trusted issuer', () => {
  test('are fetched at the start and every few minutes', async () => {
    answers = [keys('a'), keys('b')];
    await client.start();
    expect(shared).toEqual(['a']);
    await fire(refreshMs);
    await settle();
    expect(shared).toEqual(['a', 'b']);
    expect(due(refreshMs)).toHaveLength(1);
  });

  test('a failure is tried again, ever later, and takes nothing away', async () => {
    answers = [keys('a')];
    await client.start();
    await fire(refreshMs);
    await settle();
    for (let ms = retryMs; ms < refreshMs; ms *= 2) {
      expect(timers.filter(({ off }) => !off).map((timer) => timer.ms)).toEqual([ms]);
      await fire(ms);
      await settle();
    }
    expect(due(refreshMs)).toHaveLength(1);
    expect(shared).toEqual(['a']);
    answers = [keys('b')];
    await fire(refreshMs);
    await settle();
    expect(shared).toEqual(['a', 'b']);
    expect(warned).toBeGreaterThan(1);
  });

  test('an unknown key has them fetched once, then not again for a while', async () => {
    answers = [keys('a'), keys('b'), keys('c')];
    await client.start();
    heard!();
    heard!();
    await settle();
    await settle();
    expect(shared).toEqual(['a', 'b']);
    heard = null;
    expect(due(unknownKeyMs).length).toBeGreaterThan(0);
    await fire(unknownKeyMs);
    expect(heard).not.toBeNull();
  });

  test('a request while a look is under way waits for that one', async () => {
    answers = [keys('a')];
    await Promise.all([client.refresh(), client.refresh(), client.refresh()]);
    expect(fetches).toBe(1);
  });

  test('after the stop nothing is asked, shared or planned', async () => {
    answers = [keys('a'), keys('b')];
    await client.start();
    const under = client.refresh();
    await client.stop();
    await under;
    expect(shared).toEqual(['a']);
    expect(timers.every(({ off }) => off)).toBe(true);
    expect([heard, warned]).toEqual([null, 0]);
  });
});
