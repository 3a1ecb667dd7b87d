import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Cell } from '#storage/overlay/cell.ts';
import { frozenGet, FrozenWalk, Pending } from '#storage/overlay/pending.ts';
import type { Frozen } from '#storage/overlay/pending.ts';

function walk(view: Frozen, from: string, to: string, reverse: boolean): string[] {
  const lines: string[] = [];
  const at = new FrozenWalk(view, from, to, reverse);
  for (; at.current !== undefined; at.advance()) lines.push(`${at.current.key}=${at.current.number}`);
  return lines;
}

function expected(model: ReadonlyMap<string, number>, from: string, to: string, reverse: boolean): string[] {
  const lines = [...model].filter(([key]) => key >= from && key < to).sort(([a], [b]) => (a < b ? -1 : 1));
  return (reverse ? lines.toReversed() : lines).map(([key, number]) => `${key}=${number}`);
}

const key = fc.integer({ min: 0, max: 400 }).map((n) => `k${String(n).padStart(3, '0')}`);
const step = fc.oneof(
  { weight: 12, arbitrary: fc.record({ kind: fc.constant('add' as const), keys: fc.array(key, { maxLength: 40 }) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('drop' as const), share: fc.integer({ min: 1, max: 4 }) }) },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('scan' as const), from: key, to: key, reverse: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('freeze' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('open scan' as const) }) },
);

it('shows in every view what was there when it was made, whatever is added and dropped later', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const pending = new Pending();
      const model = new Map<string, number>();
      const views: { view: Frozen; was: ReadonlyMap<string, number> }[] = [];
      let number = 0;
      for (const each of steps) {
        if (each.kind === 'add') {
          for (const key of each.keys) {
            const cell = new Cell(key, null);
            cell.number = ++number;
            pending.add(cell);
            model.set(key, number);
          }
        } else if (each.kind === 'drop') {
          const cells = [...pending.values()].filter((cell) => cell.number % each.share === 0);
          pending.drop(cells);
          for (const cell of cells) model.delete(cell.key);
        } else if (each.kind === 'scan') {
          const view = pending.beginScan();
          const { from, to, reverse } = each;
          expect(walk(view, from, to, reverse)).toEqual(expected(model, from, to, reverse));
          pending.endScan();
        } else {
          views.push({ view: each.kind === 'freeze' ? pending.freeze() : pending.beginScan(), was: new Map(model) });
        }
      }
      for (const { view, was } of views) {
        expect(walk(view, '', '~', false)).toEqual(expected(was, '', '~', false));
        expect(walk(view, 'k1', 'k3', true)).toEqual(expected(was, 'k1', 'k3', true));
        for (const key of ['k000', 'k200', 'k399']) expect(frozenGet(view, key)?.number).toBe(was.get(key));
      }
      expect(new Map(Array.from(pending.values(), (cell) => [cell.key, cell.number]))).toEqual(model);
    }),
    { numRuns: 300 },
  );
});

it('gives memory back: cells that have left do not stay, scanned or not', () => {
  const pending = new Pending();
  pending.add(new Cell('stays', null));
  for (let round = 0; round < 20; round++) {
    const added = Array.from({ length: 1000 }, (_, i) => new Cell(`k${round}-${i}`, null));
    for (const cell of added) pending.add(cell);
    if (round % 2 === 0) {
      walk(pending.beginScan(), '', '~', false);
      pending.endScan();
    }
    pending.drop(added);
  }
  const view = pending.beginScan();
  let held = 0;
  for (const { cells: chunk } of view.chunks) held += chunk.length;
  expect(held).toBeLessThan(4000);
  expect(pending.size).toBe(1);
});
