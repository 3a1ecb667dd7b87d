/** The cells of the matrix: a call of a kind of file, the effect that hits it, and which one of these calls it is. */
import type { Random } from '#test/kit/random.ts';
import { KINDS } from './kinds.ts';
import type { SiteName } from './sites.ts';

/** As in injector.c. `open` is the making of a directory, too, `write` a new size, `rename` a second name (link). */
export const CALLS = ['open', 'write', 'sync', 'rename', 'unlink', 'read'] as const;
export type Call = (typeof CALLS)[number];
/** As in injector.c. */
export const EFFECTS = ['EIO', 'ENOSPC', 'short', 'delay'] as const;
export type Effect = (typeof EFFECTS)[number];

/** Pairs that cannot be (a short write is one that met the end of the disk: the next one to that file is refused with ENOSPC), and why. An open is hit by ENOSPC only where it makes a file, a write or read is short only from two bytes on. */
export const IMPOSSIBLE: readonly { readonly call: Call; readonly effect: Effect; readonly why: string }[] = [
  { call: 'open', effect: 'short', why: 'an open moves no bytes' },
  { call: 'sync', effect: 'short', why: 'a sync says yes or no' },
  { call: 'rename', effect: 'short', why: 'a name is there or not' },
  { call: 'unlink', effect: 'short', why: 'a name is there or not' },
  { call: 'read', effect: 'ENOSPC', why: 'a read takes no room' },
];

/** Calls of one kind that are tried. */
export const CALLS_MAX = 50;

export interface Cell {
  readonly kind: string;
  readonly call: Call;
  readonly effect: Effect;
  /** From 1 on, counted from the start of the node. */
  readonly no: number;
}

/** How many calls of a kind an effect could have hit. */
export interface Counted {
  readonly count: (of: Omit<Cell, 'no'>) => number;
}

/** All cells of the kinds of one site, by what a node without a fault did there. */
export function cellsOf(site: SiteName, counted: Counted): Cell[] {
  const cells: Cell[] = [];
  for (const { name: kind } of KINDS.filter((one) => one.site === site && one.untried === undefined))
    for (const call of CALLS)
      for (const effect of EFFECTS.filter((one) => !isImpossible(call, one)))
        for (let no = 1; no <= Math.min(CALLS_MAX, counted.count({ kind, call, effect })); no++)
          cells.push({ kind, call, effect, no });
  return cells;
}

const isImpossible = (call: Call, effect: Effect): boolean =>
  IMPOSSIBLE.some((one) => one.call === call && one.effect === effect);

/** So many of them, each once: of each kind and of each pair as often, so that a rare call comes as often as a frequent one. */
export function pick(cells: readonly Cell[], count: number, random: Random): Cell[] {
  const left = [...cells];
  const picked: Cell[] = [];
  while (picked.length < count && left.length > 0) {
    const kind = random.pick([...new Set(left.map((cell) => cell.kind))]);
    const pair = random.pick([...new Set(left.filter((cell) => cell.kind === kind).map(pairOf))]);
    const cell = random.pick(left.filter((one) => one.kind === kind && pairOf(one) === pair));
    picked.push(cell);
    left.splice(left.indexOf(cell), 1);
  }
  return picked;
}

const pairOf = ({ call, effect }: Cell): string => `${call}/${effect}`;
export const nameOf = (cell: Cell): string => `${cell.kind}/${pairOf(cell)}/${cell.no}`;
