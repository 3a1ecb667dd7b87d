/** The kept changes as one view of the store shows them: whatever positions are asked for in whatever order, as if each read by itself. */
import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { LogView } from '#actors/data/changes/log-view.ts';
import { entriesAfter, putEntry } from '#actors/data/changes/store.ts';
import { MemoryStore } from '#test/storage/memory.ts';
import { fc } from '#test/kit/property.ts';

const { roundRows } = limits.changes;
const STEP = 7;

test('a view tells what is behind a position, at least one more than a round has where there are more', () => {
  const reached = { near: 0, far: 0, none: 0 };
  fc.assert(
    fc.property(
      fc.nat(3 * roundRows),
      fc.array(fc.nat(1000), { minLength: 1, maxLength: 12 }),
      (count, thousandths) => {
        const store = new MemoryStore();
        const turn = store.begin();
        for (let no = 1; no <= count; no++) putEntry(turn, no * STEP, entryOf(no));
        const head = { seq: count * STEP, floor: 0, count, bytes: 0, form: '' };
        const view = new LogView(turn, head);
        for (const part of thousandths) {
          const position = Math.round((part * head.seq) / 1000);
          const expected = Array.from(entriesAfter(turn, position), ({ seq }) => seq);
          const found = view.after(position);
          const most = expected.length <= roundRows ? expected.length : Math.max(roundRows + 1, found.length);
          expect(found.map(({ seq }) => seq)).toEqual(expected.slice(0, most));
          reached[expected.length === 0 ? 'none' : expected.length <= roundRows ? 'near' : 'far']++;
        }
      },
    ),
    { numRuns: 60 },
  );
  for (const times of Object.values(reached)) expect(times).toBeGreaterThan(5);
});

test('those who wait within one round of the end share what was read, the furthest behind first or last', () => {
  const store = new MemoryStore();
  const turn = store.begin();
  for (let no = 1; no <= 10; no++) putEntry(turn, no, entryOf(no));
  for (const order of [
    [8, 3, 5, 3],
    [3, 8, 5],
  ]) {
    const view = new LogView(turn, { seq: 10, floor: 0, count: 10, bytes: 0, form: '' });
    const last = order.map((position) => view.after(position).at(-1));
    expect(new Set(last).size).toBe(1);
    expect(view.after(4)[0]).toBe(view.after(2)[2]);
  }
});

test('what is the same for some is made once for them', () => {
  const view = new LogView(new MemoryStore().begin(), { seq: 0, floor: 0, count: 0, bytes: 0, form: '' });
  let made = 0;
  const make = () => ++made;
  const [one, other] = [{}, {}];
  expect([view.once(one, 'a', make), view.once(one, 'a', make), view.once(one, 'b', make)]).toEqual([1, 1, 2]);
  expect(view.once(other, 'a', make)).toBe(3);
});

function entryOf(no: number) {
  return { op: 'create', entity: 'note', id: `n${no}`, version: 1, before: null, after: null, tx: no } as const;
}
