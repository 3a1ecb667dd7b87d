import { fc } from '#test/kit/property.ts';
import { rounds } from '#test/kit/rounds.ts';
import { expect, it } from 'vitest';
import { Cell } from '#storage/overlay/cell.ts';
import { frozenLane, frozenRuns, type Frozen } from '#storage/overlay/generation.ts';
import { findCell } from '#storage/overlay/lane.ts';
import { Merge } from '#storage/overlay/merge.ts';
import { Overlay } from '#storage/overlay/overlay.ts';
import { Prepared } from '#storage/overlay/prepared.ts';
import { Staged } from '#storage/overlay/staged.ts';
import { ABOVE_ALL, Walk } from '#storage/overlay/walk.ts';

const RUNS = rounds({ suite: 40, ci: 200 });

type Model = ReadonlyMap<string, number>;

const value = (number: number): Uint8Array => Buffer.from(String(number));

function lines(walks: Walk[], reverse: boolean): string[] {
  const base = [].values() as IterableIterator<never>;
  const merge = new Merge({ walks, base, reverse, prefixBytes: 0, observer: { see: () => undefined } });
  return Array.from(merge, (entry) => `${entry.key}=${Buffer.from(entry.value).toString()}`);
}

function expected(model: Model, from: string, to: string, reverse: boolean): string[] {
  const found = [...model].filter(([key]) => key >= from && key < to).sort(([a], [b]) => (a < b ? -1 : 1));
  return (reverse ? found.toReversed() : found).map(([key, number]) => `${key}=${number}`);
}

// Three lanes, keys shorter than a lane's place, and one store's prefix that begins another's key.
const prefixes = ['lane__A', 'lane__B', 'lane', 'other_C'];
const key = fc.tuple(fc.constantFrom(...prefixes), fc.integer({ min: 0, max: 300 })).map(([at, n]) => `${at}${n}`);
const bound = fc.oneof(key, fc.constantFrom('', 'lane', 'lane__A', 'lane__B', 'lane__C', ABOVE_ALL));
const step = fc.oneof(
  { weight: 12, arbitrary: fc.record({ kind: fc.constant('add' as const), keys: fc.array(key, { maxLength: 60 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('flood' as const), at: fc.constantFrom(...prefixes) }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('adopt' as const), keys: fc.uniqueArray(key, { maxLength: 60 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('adoptMany' as const), at: fc.constantFrom(...prefixes) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('turn' as const) }) },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('scan' as const), from: bound, to: bound, reverse: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('freeze' as const) }) },
);

/** The overlay beside a map of what it must show: the growing generation's writes over the leaving one's. */
class Scene {
  readonly overlay = new Overlay();
  leaving: Map<string, number> | null = null;
  growing = new Map<string, number>();
  #number = 0;

  get model(): Map<string, number> {
    return new Map([...(this.leaving ?? []), ...this.growing]);
  }

  add(key: string): void {
    const cell = new Cell(key, value(++this.#number));
    cell.number = this.#number;
    this.overlay.growing.add(cell);
    this.growing.set(key, this.#number);
  }

  /** The writes of one turn, made ready in steps. */
  adopt(keys: readonly string[]): void {
    const cells = keys.map((key) => new Cell(key, value(this.#number + 1)));
    const prepared = new Prepared();
    for (const step of prepared.take(cells)) expect(step).toBeUndefined();
    if (cells.length === 0) return;
    this.#number++;
    for (const cell of cells) cell.number = this.#number;
    this.overlay.growing.adopt(prepared, this.#number);
    for (const key of keys) this.growing.set(key, this.#number);
  }

  /** Ends the sweep on its way, or begins one, which must take each key once, in order, with its newest value. */
  turn(): void {
    if (this.leaving !== null) {
      this.overlay.drop();
      this.leaving = null;
      return;
    }
    const swept = this.overlay
      .turn()
      .walks()
      .flatMap((walk) => lines([walk], false));
    expect(swept).toEqual(expected(this.growing, '', ABOVE_ALL, false));
    this.leaving = this.growing;
    this.growing = new Map();
  }
}

function frozenLines(view: readonly Frozen[], from: string, to: string, reverse: boolean): string[] {
  return lines(
    view.map((each) => new Walk(frozenRuns(each, from, to), from, to, reverse)),
    reverse,
  );
}

function frozenNumber(view: readonly Frozen[], key: string): number | undefined {
  for (const each of view) {
    const cell = findCell(frozenLane(each, key), key);
    if (cell !== undefined) return cell.number;
  }
  return undefined;
}

it(
  'shows in every view what was there when it was made, whatever is added and leaves later',
  { timeout: 120_000 },
  () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const scene = new Scene();
        const views: { view: readonly Frozen[]; was: Model }[] = [];
        for (const each of steps) {
          if (each.kind === 'add') each.keys.forEach((key) => scene.add(key));
          else if (each.kind === 'flood') for (let i = 0; i < 1100; i++) scene.add(`${each.at}${(i * 7919) % 900}`);
          else if (each.kind === 'adopt') scene.adopt(each.keys);
          else if (each.kind === 'adoptMany')
            scene.adopt(Array.from({ length: 1300 }, (_, i) => `${each.at}${(i * 7919) % 1301}`));
          else if (each.kind === 'turn') scene.turn();
          else if (each.kind === 'freeze') views.push({ view: scene.overlay.freeze(''), was: scene.model });
          else {
            const { from, to, reverse } = each;
            const walks = scene.overlay.walks(from, to, reverse);
            expect(lines(walks, reverse)).toEqual(expected(scene.model, from, to, reverse));
          }
        }
        for (const { view, was } of views) {
          for (const [from, to] of [
            ['', ABOVE_ALL],
            ['lane__A1', 'lane__A3'],
            ['lane__B', 'lane__C'],
          ] as const) {
            expect(frozenLines(view, from, to, true)).toEqual(expected(was, from, to, true));
          }
          for (const key of ['lane__A7', 'lane12', 'other_C0']) expect(frozenNumber(view, key)).toBe(was.get(key));
        }
        for (const [key, number] of scene.model) expect(scene.overlay.get(key)?.number).toBe(number);
      }),
      { numRuns: RUNS },
    );
  },
);

it('freezes one store without its neighbours', () => {
  const overlay = new Overlay();
  for (const key of ['lane__A1', 'lane__B1', 'other_C1']) overlay.growing.add(new Cell(key, value(1)));
  expect(frozenLines(overlay.freeze('lane_'), '', ABOVE_ALL, false)).toEqual(['lane__A1=1', 'lane__B1=1']);
});

it('keeps the newest staged write of a key, few or many, scanned or not', () => {
  fc.assert(
    fc.property(fc.array(key, { maxLength: 80 }), fc.nat({ max: 80 }), (keys, scanAt) => {
      const staged = new Staged();
      const model = new Map<string, number>();
      keys.forEach((key, number) => {
        if (number === scanAt) staged.walk('', ABOVE_ALL, false);
        staged.put(new Cell(key, value(number)));
        model.set(key, number);
      });
      expect(lines([staged.walk('', ABOVE_ALL, false)], false)).toEqual(expected(model, '', ABOVE_ALL, false));
      expect(staged.cells.map(({ key }) => key)).toEqual([...model.keys()]);
      let bytes = 0;
      for (const [key, number] of model) {
        bytes += key.length + String(number).length;
        expect(staged.get(key)?.value).toEqual(value(number));
      }
      expect([staged.bytes, staged.get('absent')]).toEqual([bytes, undefined]);
    }),
    { numRuns: RUNS },
  );
});
