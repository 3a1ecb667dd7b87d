/** Two threads never read at once, and a turn that was never given back delays the others for a bounded time. */
import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { createReadingCell, ReadingTurn } from '#runtime/scrub/reading-turn.ts';

function turns() {
  const cell = createReadingCell();
  const world = { slept: 0, onSleep: (): void => undefined };
  const sleep = (ms: number): Promise<void> => {
    world.slept += ms;
    world.onSleep();
    return Promise.resolve();
  };
  return { world, one: new ReadingTurn(cell, sleep), other: new ReadingTurn(cell, sleep) };
}

test('one waits until the other has given its turn back', async () => {
  const { one, other, world } = turns();
  await one.take();
  expect(world.slept).toBe(0);
  world.onSleep = () => {
    if (world.slept === 3 * limits.scrub.turnLookMs) one.give();
  };
  await other.take();
  expect(world.slept).toBe(3 * limits.scrub.turnLookMs);
});

test('a thread that ended within its step does not stop the others for ever', async () => {
  const { one, other, world } = turns();
  await one.take();
  await other.take();
  expect(world.slept).toBe(limits.scrub.turnMsMax);
  other.give();
  await one.take();
  expect(world.slept).toBe(limits.scrub.turnMsMax);
});
