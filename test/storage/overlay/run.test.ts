import { fc } from '#test/kit/property.ts';
import { expect, it } from 'vitest';
import { Cell } from '#storage/overlay/cell.ts';
import { PAGE_CELLS, Run } from '#storage/overlay/run.ts';

const cellAt = (number: number): Cell => new Cell(String(2 * number).padStart(6, '0'), null);

it('has every cell at its place, whatever the number of pages', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 3 * PAGE_CELLS + 1 }), fc.nat(8 * PAGE_CELLS), (length, sought) => {
      const cells = Array.from({ length }, (_, at) => cellAt(at));
      const run = new Run();
      for (const cell of cells) run.push(cell);
      expect(run.length).toBe(length);
      expect(run.at(-1)).toBeUndefined();
      expect(run.at(length)).toBeUndefined();
      for (const [at, cell] of cells.entries()) expect(run.at(at) === cell).toBe(true);
      const key = String(sought).padStart(6, '0');
      expect(run.placeOf(key)).toBe(Math.min(length, Math.ceil(sought / 2)));
    }),
    { numRuns: 50 },
  );
});

it('goes on behind the page that it was made of', () => {
  const run = Run.ofPage([cellAt(0), cellAt(1)]);
  run.push(cellAt(2));
  expect([0, 1, 2, 3].map((at) => run.at(at)?.key)).toEqual(['000000', '000002', '000004', undefined]);
});
