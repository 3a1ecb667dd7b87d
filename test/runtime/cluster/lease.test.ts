/** Until when a node may answer, and when others may take its place: to the millisecond. */
import { expect, test } from 'vitest';
import type { NodeSight } from '#storage/log-engine/nodes-port.ts';
import { createLeaseCell, machineMs, readLease, writeLease } from '#runtime/cluster/lease-cell.ts';
import { Lease, Suspends, Watch } from '#runtime/cluster/lease.ts';

test('a lease lasts 0.8 of its length from the sending of the newest beat', () => {
  const ends: number[] = [];
  const lease = new Lease(10_000, (until) => ends.push(until));
  expect(lease.holds(0)).toBe(false);
  lease.renewed(1000);
  expect([lease.holds(8999), lease.holds(9000)]).toEqual([true, false]);
  lease.renewed(500);
  expect(lease.holds(8999)).toBe(true);
  lease.renewed(2000);
  expect([lease.holds(9999), lease.holds(10_000)]).toEqual([true, false]);
  expect(ends).toEqual([9000, 10_000]);
});

test('a lease that lapsed is renewed by the next beat, and one that ended by none', () => {
  const lease = new Lease(10_000);
  lease.renewed(0);
  lease.lapse();
  expect(lease.holds(1)).toBe(false);
  lease.renewed(2);
  expect(lease.holds(3)).toBe(true);
  lease.end();
  lease.renewed(4);
  expect(lease.holds(5)).toBe(false);
});

function nodeAt(beat: number, leaseMs = 10_000): NodeSight {
  return { id: 'a', node: 'a', place: 'a', leaseMs, beat, isFenced: false, follows: null, heir: null, carries: null };
}

/** Whether a watcher that saw these beats at these times takes the last one for silent. */
function isSilent(seen: readonly (readonly [at: number, beat: number])[], leaseMs = 10_000): boolean {
  const watch = new Watch(10_000, 5000);
  for (const [at, beat] of seen) watch.saw({ nodes: [nodeAt(beat, leaseMs)], serving: 'a', carried: 0 }, at);
  const [at, beat] = seen.at(-1)!;
  return watch.isSilent(nodeAt(beat, leaseMs), at);
}

test('a life is silent when its beat stood still for a lease, the longer one of the two', () => {
  const still = [0, 4000, 8000, 9999].map((at) => [at, 1] as const);
  expect(isSilent(still)).toBe(false);
  expect(isSilent([...still, [10_000, 1]])).toBe(true);
  expect(isSilent([...still, [10_000, 1]], 12_000)).toBe(false);
  expect(isSilent([...still, [10_000, 1], [12_000, 1]], 12_000)).toBe(true);
});

test('a beat that moves begins it anew, and so does a time in which the watcher saw nothing', () => {
  expect(
    isSilent([
      [0, 1],
      [4000, 1],
      [8000, 2],
      [12_000, 2],
      [16_000, 2],
    ]),
  ).toBe(false);
  expect(
    isSilent([
      [0, 1],
      [4000, 1],
      [9001, 1],
      [12_000, 1],
    ]),
  ).toBe(false);
  expect(
    isSilent([
      [0, 1],
      [4000, 1],
      [9000, 1],
      [12_000, 1],
    ]),
  ).toBe(true);
});

test('a life that was not seen is not silent', () => {
  expect(new Watch(10_000, 5000).isSilent(nodeAt(0), 1e9)).toBe(false);
});

test('a machine that slept is noticed by its uptime, once', () => {
  const suspends = new Suspends(1000);
  expect(suspends.slept(500_000, 100)).toBe(false);
  expect(suspends.slept(500_510, 600)).toBe(false);
  expect(suspends.slept(560_000, 1100)).toBe(true);
  expect(suspends.slept(560_500, 1600)).toBe(false);
});

test('threads ask the end of the lease by the clock of the machine', () => {
  const cell = createLeaseCell();
  const [write, holds] = [writeLease(cell), readLease(cell)];
  expect(holds()).toBe(false);
  write(machineMs() + 60_000);
  expect(holds()).toBe(true);
  write(machineMs() - 1);
  expect(holds()).toBe(false);
});
