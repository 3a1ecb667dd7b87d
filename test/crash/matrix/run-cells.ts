/** Cells: several in one node where there are many, and some nodes at once. */
import { Judge } from '#test/crash/images/judge.ts';
import { nameOf, type Cell } from './cells.ts';
import { KINDS, type Kind } from './kinds.ts';
import { runTogether, type CellResult } from './run-cell.ts';
import type { MatrixSite, SiteName } from './sites.ts';

export interface Workshop {
  readonly library: string;
  readonly scratch: string;
  /** Nodes at once. */
  readonly workers: number;
  readonly siteOf: (name: SiteName) => MatrixSite;
}

/** What is wrong, and with which cells: more than one where no single one of them shows it. */
export interface Wrong extends Omit<CellResult, 'hits'> {
  readonly cells: readonly string[];
  readonly hit: readonly string[];
}

export interface Told {
  readonly covered: readonly Cell[];
  readonly acknowledged: number;
}

/** What a fault does: nothing but take time, refuse one caller, or end the node, behind which no other fault of its group is met. */
type Harm = 'none' | 'refusal' | 'end';
/** How many faults one node meets, at most. */
const TOGETHER: Readonly<Record<Harm, number>> = { none: 12, refusal: 6, end: 1 };

/**
 * Parts cells into groups that one node can meet together: of one site and one harm, none with two faults of one call of one kind, and one alone that
 * fills the disk for two writes (injector.c).
 */
export function grouped(cells: readonly Cell[]): Cell[][] {
  const groups: Cell[][] = [];
  const fits = (group: readonly Cell[], cell: Cell): boolean =>
    group.length < TOGETHER[harmOf(cell)] &&
    harmOf(group[0]!) === harmOf(cell) &&
    kindNamed(group[0]!).site === kindNamed(cell).site &&
    !group.some(({ kind, call }) => kind === cell.kind && call === cell.call) &&
    !(isFilling(cell) && group.some(isFilling));
  for (const cell of cells) {
    const group = groups.find((one) => fits(one, cell));
    if (group === undefined) groups.push([cell]);
    else group.push(cell);
  }
  return groups;
}

const kindNamed = (cell: Cell): Kind => KINDS.find(({ name }) => name === cell.kind)!;
const isFilling = ({ call, effect }: Cell): boolean => call === 'write' && effect === 'short';

export function harmOf(cell: Cell): Harm {
  if (cell.effect === 'delay' || (cell.call === 'read' && cell.effect === 'short')) return 'none';
  return kindNamed(cell).isOfOneCaller === true ? 'refusal' : 'end';
}

/** Runs each group, and the cells of one in which something is wrong each alone. */
export async function runCells(
  { siteOf, workers, ...workshop }: Workshop,
  groups: readonly (readonly Cell[])[],
  tell: (told: Told) => void,
): Promise<Wrong[]> {
  const left = [...groups];
  const wrong: Wrong[] = [];
  const run = async (group: readonly Cell[], judge: Judge): Promise<Wrong | null> => {
    const { hits, ...result } = await runTogether(siteOf(kindNamed(group[0]!).site), group, { ...workshop, judge });
    tell({ covered: [...hits.keys()], acknowledged: result.acknowledged });
    if (result.violations.length === 0) return null;
    return { cells: group.map(nameOf), hit: [...hits.values()], ...result };
  };
  const work = async (judge: Judge): Promise<void> => {
    for (;;) {
      const group = left.shift();
      if (group === undefined) return;
      const together = await run(group, judge);
      if (together === null) continue;
      const alone: Wrong[] = [];
      if (group.length > 1)
        for (const cell of group) alone.push(...[await run([cell], judge)].filter((one) => one !== null));
      wrong.push(...(alone.length > 0 ? alone : [together]));
    }
  };
  const judges = Array.from({ length: workers }, () => new Judge());
  try {
    await Promise.all(judges.map(work));
    return wrong;
  } finally {
    for (const judge of judges) judge.close();
  }
}
