/** What one arrival costs a lane, counted in looks at keys: a bound that does not grow with what is pending. */
import { expect, test } from 'vitest';
import type { Cell } from '#storage/overlay/cell.ts';
import { Lane } from '#storage/overlay/lane.ts';

const CELLS = 60_000;
/** A sort of one short run takes some 10,000; a merge of all that is here would take 100,000 and more. */
const LOOKS_MAX = 20_000;
const RUNS_MAX = 24;

function fill(keyOf: (no: number) => string): { looks: number; lane: Lane } {
  const lane = new Lane();
  let looks = 0;
  let most = 0;
  for (let no = 0; no < CELLS; no++) {
    const key = keyOf(no);
    const cell = {
      get key() {
        looks++;
        return key;
      },
      value: null,
      number: no,
    };
    looks = 0;
    lane.add(cell as unknown as Cell);
    most = Math.max(most, looks);
  }
  return { looks: most, lane };
}

const scattered = (no: number): string => String((no * 7919) % CELLS).padStart(6, '0');

test('no arrival waits for a merge of all that has come before it, and runs stay few', () => {
  const { looks, lane } = fill(scattered);
  expect(looks).toBeLessThan(LOOKS_MAX);
  const runs = lane.runs();
  expect(runs.length).toBeLessThan(RUNS_MAX);
  expect(runs.reduce((sum, run) => sum + run.length, 0)).toBe(CELLS);
});

test('where a reader closes the run at every arrival, runs stay few, too', () => {
  const lane = new Lane();
  let most = 0;
  for (let no = 0; no < 4000; no++) {
    lane.add({ key: scattered(no), value: null, number: no } as unknown as Cell);
    most = Math.max(most, lane.runs().length);
  }
  expect(most).toBeLessThan(RUNS_MAX);
});

test('one key written over and over stays one cell for each run', () => {
  const { lane } = fill(() => 'same');
  const runs = lane.runs();
  expect(runs.every((run) => run.length === 1)).toBe(true);
  expect(runs.length).toBeLessThan(RUNS_MAX);
});
