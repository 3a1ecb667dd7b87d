/** The keeper of a node's floor: another node of the process does not lower it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { clockFloorKnown, createClockFloor, standOnFloor, systemClock } from '#actors/kit/clock.ts';
import { SimulatedClock } from '#test/kit/simulated-clock.ts';
import { ClockFloorKeeper } from '#runtime/clock-floor.ts';
import { openSlotFile } from '#storage/slot-file.ts';

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 5, 1);
const degraded = { report: () => undefined, clear: () => undefined };

/** A node's directory, in which it was at work at an instant. */
function directoryAt(ms: number): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'skep-floor-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const slots = openSlotFile(join(dataDir, 'clock'));
  slots.write(ms);
  slots.close();
  return dataDir;
}

/** How far the clock of a thread that stands on this memory is ahead of the machine's, in hours. */
function hoursAhead(memory: SharedArrayBuffer): number {
  standOnFloor(memory);
  return Math.round((systemClock.now() - Date.now()) / HOUR);
}

test('a clock that was set back stands on the floor of its own node, whatever other nodes of the process do', async () => {
  const clock = new SimulatedClock(NOW);
  const keep = (ms: number) => {
    const memory = createClockFloor();
    return { memory, keeper: new ClockFloorKeeper({ dataDir: directoryAt(ms), degraded, memory, clock }) };
  };
  onTestFinished(() => standOnFloor(createClockFloor()));
  const other = keep(NOW - HOUR);
  const behind = keep(NOW + 2 * HOUR);
  expect(hoursAhead(behind.memory)).toBe(2);
  expect(hoursAhead(other.memory)).toBe(0);
  other.keeper.look();
  expect(hoursAhead(behind.memory)).toBe(2);
  await other.keeper.stop();
  expect(hoursAhead(behind.memory)).toBe(2);
  await behind.keeper.stop();
  expect(hoursAhead(behind.memory)).toBe(0);
});

test('what becomes known later raises the floor, and what was known already does not', async () => {
  const clock = new SimulatedClock(NOW);
  const memory = createClockFloor();
  const keeper = new ClockFloorKeeper({ dataDir: directoryAt(NOW + HOUR), degraded, memory, clock });
  onTestFinished(() => standOnFloor(createClockFloor()));
  keeper.know(NOW - HOUR);
  expect([hoursAhead(memory), clockFloorKnown()]).toEqual([1, NOW + HOUR]);
  keeper.know(NOW + 3 * HOUR);
  expect([hoursAhead(memory), clockFloorKnown()]).toEqual([3, NOW + 3 * HOUR]);
  await keeper.stop();
});
