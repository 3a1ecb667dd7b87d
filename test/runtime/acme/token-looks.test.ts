/** Looks that requests for tokens cause: few, however many ask, and none that began before the question. */
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { TokenLooks } from '#runtime/acme/token-looks.ts';

function bench() {
  const looks: PromiseWithResolvers<void>[] = [];
  const sleeps: { ms: number; wake: () => void }[] = [];
  const time = { now: 0 };
  const it = new TokenLooks({
    look: () => {
      const look = Promise.withResolvers<void>();
      looks.push(look);
      return look.promise;
    },
    everyMs: 200,
    now: () => time.now,
    sleep: (ms) => new Promise<void>((resolve) => sleeps.push({ ms, wake: resolve })),
  });
  return { it, looks, sleeps, time };
}

test('many questions wait for one look; one that comes while it is under way waits for the next', async () => {
  const { it, looks, sleeps, time } = bench();
  const first = Array.from({ length: 100 }, () => it.ask());
  await turn();
  expect(looks.length).toBe(1);
  const second = [it.ask(), it.ask()];
  let isSecond = false;
  void second[0]!.then(() => (isSecond = true));
  looks[0]!.resolve();
  await Promise.all(first);
  await turn();
  expect([isSecond, looks.length, sleeps.map(({ ms }) => ms)]).toEqual([false, 1, [200]]);
  time.now = 200;
  sleeps[0]!.wake();
  await turn();
  expect(looks.length).toBe(2);
  looks[1]!.resolve();
  await Promise.all(second);
});

test('a look that fails is told to those that waited for it, and the next question has another one', async () => {
  const { it, looks, time } = bench();
  const asked = it.ask();
  await turn();
  looks[0]!.reject(new Error('away'));
  await expect(asked).rejects.toThrow('away');
  time.now = 1000;
  const again = it.ask();
  await turn();
  looks[1]!.resolve();
  await again;
});
