/** The steps over an environment that is served: each entry once, order and values, and an end also where keys lead back. */
import { expect, test } from 'vitest';
import { TABLES } from '#storage/catalogue.ts';
import { tuple, u16, u32 } from '#storage/key.ts';
import type { Bytes, Entry, Lookup } from '#storage/port.ts';
import { encodeRecord } from '#storage/record.ts';
import { scrubShard, type ShardFault } from '#storage/scrub.ts';

const keyOf = (tenant: number, id: number): Bytes => `${u32(tenant)}\0${u16(TABLES.user.no)}${tuple(`u${100 + id}`)}`;
const record = encodeRecord(1, { n: 1 });

/** LMDB's pages as a list: a search by halves, as LMDB looks for a key, whatever the order is. */
function pages(entries: readonly Entry[]): Lookup {
  const seek = (from: Bytes): number => {
    let [low, high] = [0, entries.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (entries[middle]!.key < from) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return {
    get: () => undefined,
    *range(from, to, reverse = false) {
      if (reverse) yield* entries.slice(seek(from), seek(to)).toReversed();
      else
        for (const entry of entries.slice(seek(from))) {
          if (entry.key >= to) return;
          yield entry;
        }
    },
  };
}

function scrub(entries: readonly Entry[], every: number): { faults: ShardFault[]; entries: number; steps: number } {
  const faults: ShardFault[] = [];
  let [count, steps, taken] = [0, 0, 0];
  for (const step of scrubShard(pages(entries), () => ++taken % every === 0)) {
    faults.push(...step.faults);
    count += step.entries;
    expect(++steps).toBeLessThan(1000);
  }
  return { faults, entries: count, steps };
}

const sound = [1, 2, 300].flatMap((tenant) =>
  Array.from({ length: 20 }, (_, id): Entry => ({ key: keyOf(tenant, id), value: record })),
);

test.each([1, 2, 7, 1000])('%i entries a step: each is looked at once', (every) => {
  expect(scrub(sound, every)).toMatchObject({ faults: [], entries: sound.length });
});

test('what is appended meanwhile is not followed for ever', () => {
  const entries = [...sound];
  let steps = 0;
  for (const _ of scrubShard(pages(entries), () => true)) {
    entries.splice(20, 0, { key: `${keyOf(1, 19)}${u32(steps)}`, value: record });
    entries.sort((a, b) => (a.key < b.key ? -1 : 1));
    expect(++steps).toBeLessThan(200);
  }
  expect(steps).toBeGreaterThan(60);
});

test('a value whose CRC does not fit is named with its tenant and key', () => {
  const bad = Buffer.from(record);
  bad[6]! ^= 1;
  const entries = sound.with(33, { key: sound[33]!.key, value: bad });
  expect(scrub(entries, 3).faults).toEqual([
    { kind: 'value', tenant: 2, key: sound[33]!.key, what: expect.stringContaining('CRC does not fit') },
  ]);
});

test.each([1, 2, 3, 5, 100])('keys out of order are found, and the look ends: %i entries a step', (every) => {
  let found = 0;
  for (const at of [0, 5, 25, 39, 59])
    for (const other of [3, 30, 58]) {
      // A bit of one key turned: it is now about as large as another's.
      const entries = sound.with(at, { key: `${sound[other]!.key}\0`, value: record });
      const isOrdered = entries.every(({ key }, i) => i === 0 || key > entries[i - 1]!.key);
      const isFound = scrub(entries, every).faults.some(({ kind }) => kind === 'order');
      if (isFound) found++;
      // Within one step every one shows; a border of steps may hide one, until the next round has others.
      if (every === 100) expect(isFound).toBe(!isOrdered);
      else if (isOrdered) expect(isFound).toBe(false);
    }
  if (every > 1) expect(found).toBeGreaterThan(0);
});
