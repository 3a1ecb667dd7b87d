/** What a relay tells an operator of a fault that lasts. */
import { expect, test } from 'vitest';
import { Bench, settledLoop } from './bench.ts';

test('a fault that lasts is a line a minute, however often it is tried again', async () => {
  const bench = new Bench();
  bench.courier();
  bench.hostGone = true;
  bench.put(7, 'A');
  const retry = async (): Promise<void> => {
    for (const again of bench.later.splice(0)) again();
    await settledLoop();
  };
  await settledLoop();
  for (let no = 0; no < 20; no++) await retry();
  expect(bench.warned).toHaveLength(1);
  bench.nowMs += 60_000;
  for (let no = 0; no < 20; no++) await retry();
  expect(bench.warned).toHaveLength(2);
  bench.hostGone = false;
  await retry();
  expect(bench.outboxes.get(7)).toEqual(['A']);
});
