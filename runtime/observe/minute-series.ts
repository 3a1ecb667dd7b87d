/** Counts of answers by minute, for the last minutes: a ring of cells that is written with a few additions and no allocation. */
import { limits } from '#config/limits.ts';
import type { LoadFigures } from '#actors/protocol/node-view.ts';

const KEPT = limits.nodeView.keptMinutes;
/** Of each minute: which one it is, requests, refused, failed, by the door, seconds. */
const WIDTH = 6;
const [MINUTE, REQUESTS, REFUSED, FAILED, BY_DOOR, SECONDS] = [0, 1, 2, 3, 4, 5] as const;

export interface Sum {
  requests: number;
  refused: number;
  failed: number;
  byDoor: number;
  seconds: number;
}

export const emptySum = (): Sum => ({ requests: 0, refused: 0, failed: 0, byDoor: 0, seconds: 0 });

export class MinuteSeries {
  readonly #cells = new Float64Array(KEPT * WIDTH);

  /** `minute`: whole minutes of a clock that never goes back, from 1 on. */
  count(minute: number, status: number, seconds: number, byDoor: boolean): void {
    const cells = this.#cells;
    const at = (minute % KEPT) * WIDTH;
    if (cells[at] !== minute) {
      cells.fill(0, at, at + WIDTH);
      cells[at + MINUTE] = minute;
    }
    cells[at + REQUESTS]! += 1;
    if (status >= 500) cells[at + FAILED]! += 1;
    else if (status >= 400) cells[at + REFUSED]! += 1;
    if (byDoor) cells[at + BY_DOOR]! += 1;
    cells[at + SECONDS]! += seconds;
  }

  /** Adds the last minutes to a sum, the present one included; gives the sum. */
  addTo(sum: Sum, minute: number, minutes: number): Sum {
    const cells = this.#cells;
    for (let at = 0; at < cells.length; at += WIDTH) {
      const of = cells[at + MINUTE]!;
      if (of === 0 || of > minute || of <= minute - minutes) continue;
      sum.requests += cells[at + REQUESTS]!;
      sum.refused += cells[at + REFUSED]!;
      sum.failed += cells[at + FAILED]!;
      sum.byDoor += cells[at + BY_DOOR]!;
      sum.seconds += cells[at + SECONDS]!;
    }
    return sum;
  }

  /** Whether nothing was counted within the minutes that are kept. */
  isIdle(minute: number): boolean {
    return this.addTo(emptySum(), minute, KEPT).requests === 0;
  }
}

export function figuresOf({ requests, refused, failed, byDoor, seconds }: Sum): LoadFigures {
  const mean_ms = requests === 0 ? 0 : Math.round((seconds / requests) * 1e6) / 1e3;
  return { requests, refused, failed, by_door: byDoor, mean_ms };
}
