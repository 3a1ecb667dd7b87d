/** Pages of rows over cursors, against a list that answers as the node does (docs/contract/data.md §5.5). */
import { describe, expect, test } from 'vitest';
import { PAGE_ROWS, RowPages, type Where } from '#console/data/row-pages.ts';
import { fc } from '#test/kit/property.ts';

/** So often a view asks on before it must have all that it wants. */
const ROUNDS_MAX = 200;

class List {
  readonly asked: Where[] = [];
  ids: number[];
  readonly pages: RowPages;
  #timers: (() => void)[] = [];

  constructor(length: number, hasTotal = true) {
    this.ids = Array.from({ length }, (_, i) => i * 10);
    this.pages = new RowPages({
      ask: (where, limit) => Promise.resolve(this.#answer(where, limit, hasTotal)),
      changed: () => undefined,
      later: (run) => {
        this.#timers.push(run);
        return () => void (this.#timers = this.#timers.filter((one) => one !== run));
      },
    });
  }

  #answer(where: Where, limit: number, hasTotal: boolean) {
    this.asked.push(where);
    const { ids } = this;
    let from: number;
    let to: number;
    if ('offset' in where) [from, to] = [where.offset, where.offset + limit];
    else {
      from = where.after === '' ? 0 : ids.findIndex((id) => id > Number(where.after));
      if (from < 0) from = ids.length;
      to = from + limit;
    }
    const data = ids.slice(from, to).map((id) => ({ id }));
    const edge = (row: { id: number } | undefined) => (row === undefined ? null : String(row.id));
    return {
      data,
      count: data.length,
      ...(hasTotal && { total: ids.length }),
      ...(!('offset' in where) && {
        page: {
          has_next_page: to < ids.length,
          end_cursor: edge(data.at(-1)),
        },
      }),
    };
  }

  /** Looks at rows until nothing is asked any more. */
  async see(first: number, last: number): Promise<(number | undefined)[]> {
    this.pages.want(first, last);
    for (
      let round = 0, before = -1;
      round < ROUNDS_MAX && before !== this.asked.length + this.#timers.length;
      round++
    ) {
      before = this.asked.length + this.#timers.length;
      for (let turn = 0; turn < 5; turn++) await Promise.resolve();
      const timers = this.#timers;
      this.#timers = [];
      timers.forEach((run) => run());
      for (let turn = 0; turn < 5; turn++) await Promise.resolve();
      if (timers.length > 0) before = -1;
    }
    const end = Math.min(last, this.pages.length - 1);
    return Array.from({ length: Math.max(0, end - first + 1) }, (_, i) => this.pages.row(first + i)?.['id'] as number);
  }
}

describe('rows', () => {
  test('are at their places, wherever the reader jumps', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 6 * PAGE_ROWS }),
        fc.array(fc.nat(6 * PAGE_ROWS), { minLength: 1, maxLength: 8 }),
        async (length, jumps) => {
          const list = new List(length);
          await list.see(0, 50);
          expect(list.pages.length).toBe(length);
          for (const to of jumps) {
            const first = Math.min(to, Math.max(0, length - 1));
            expect(await list.see(first, first + 50)).toEqual(list.ids.slice(first, first + 51));
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  test('behind known ones are asked by cursors, also on the way back', async () => {
    const list = new List(60 * PAGE_ROWS);
    for (let row = 0; row < 50 * PAGE_ROWS; row += 100) await list.see(row, row + 50);
    const before = list.asked.length;
    for (let row = 50 * PAGE_ROWS; row >= 0; row -= 100) expect(await list.see(row, row)).toEqual([row * 10]);
    // Their rows were forgotten, since there were too many.
    expect(list.asked.length).toBeGreaterThan(before);
    expect(list.asked.filter((where) => 'offset' in where)).toEqual([]);
    await list.see(55 * PAGE_ROWS + 10, 55 * PAGE_ROWS + 20);
    expect(list.asked.at(-1)).toEqual({ offset: 55 * PAGE_ROWS });
  });

  test('without a total grow as the reader comes near', async () => {
    const list = new List(2 * PAGE_ROWS + 7, false);
    await list.see(0, 50);
    expect([list.pages.total, list.pages.length]).toEqual([null, PAGE_ROWS + 1]);
    await list.see(PAGE_ROWS - 10, PAGE_ROWS + 10);
    await list.see(2 * PAGE_ROWS - 10, 2 * PAGE_ROWS + 10);
    expect([list.pages.total, list.pages.length]).toEqual([2 * PAGE_ROWS + 7, 2 * PAGE_ROWS + 7]);
  });

  test('that are changed are shown changed, and as before where that is undone', async () => {
    const list = new List(3);
    await list.see(0, 2);
    const [, row] = [0, list.pages.row(1)!];
    list.pages.replace(
      ({ id }) => id === 10,
      (one) => ({ ...one, name: 'new' }),
    );
    expect(list.pages.row(1)).toEqual({ id: 10, name: 'new' });
    list.pages.replace(
      ({ id }) => id === 10,
      () => row,
    );
    expect(list.pages.row(1)).toEqual({ id: 10 });
  });

  test('are read anew where some came or went', async () => {
    const list = new List(5);
    await list.see(0, 4);
    list.ids = [0, 20, 30];
    list.pages.reset();
    expect(await list.see(0, 4)).toEqual([0, 20, 30]);
  });

  test('are loaded for an act, also where the reader has not looked, and no page twice', async () => {
    for (const hasTotal of [true, false]) {
      const list = new List(5 * PAGE_ROWS, hasTotal);
      await list.see(0, 50);
      expect(list.pages.row(PAGE_ROWS)).toBeUndefined();
      const both = [list.pages.load(10, 3 * PAGE_ROWS), list.pages.load(PAGE_ROWS, 3 * PAGE_ROWS)];
      expect(await Promise.all(both)).toEqual([true, true]);
      expect(list.asked.length).toBe(4);
      for (const at of [10, PAGE_ROWS, 3 * PAGE_ROWS]) expect(list.pages.row(at)).toEqual({ id: at * 10 });
      // Beyond the end there is nothing to wait for.
      expect(await list.pages.load(5 * PAGE_ROWS - 1, 9 * PAGE_ROWS)).toBe(true);
    }
  });

  test('are not there where the node does not answer', async () => {
    const pages = new RowPages({
      ask: () => Promise.reject(new Error('gone')),
      changed: () => undefined,
      later: () => () => undefined,
    });
    pages.setTotal(10);
    expect(await pages.load(0, 3)).toBe(false);
  });
});
