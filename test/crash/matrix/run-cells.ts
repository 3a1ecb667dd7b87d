/** Cells, some at once. */
import { Judge } from '#test/crash/images/judge.ts';
import type { Cell } from './cells.ts';
import { KINDS } from './kinds.ts';
import type { Kind } from './kinds.ts';
import { runCell } from './run-cell.ts';
import type { CellResult } from './run-cell.ts';
import type { MatrixSite } from './sites.ts';

export interface Workshop {
  readonly library: string;
  readonly scratch: string;
  /** Cells at once. */
  readonly workers: number;
}

export async function runCells(
  { library, scratch, workers }: Workshop,
  cells: readonly Cell[],
  siteOf: (kind: Kind) => MatrixSite,
  tell: (cell: Cell, result: CellResult) => void,
): Promise<void> {
  const left = [...cells];
  const work = async (judge: Judge): Promise<void> => {
    for (;;) {
      const cell = left.shift();
      if (cell === undefined) return;
      const kind = KINDS.find(({ name }) => name === cell.kind)!;
      tell(cell, await runCell(siteOf(kind), cell, { library, scratch, judge }));
    }
  };
  const judges = Array.from({ length: workers }, () => new Judge());
  try {
    await Promise.all(judges.map(work));
  } finally {
    for (const judge of judges) judge.close();
  }
}
