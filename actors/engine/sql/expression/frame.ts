/** Frames of windows: which rows of its partition a row's value is computed from. */
import type { Node, WindowDef } from 'libpg-query';
import type { Place } from '../context.ts';
import { SqlFault } from '../fault.ts';
import type { Run } from '../run.ts';
import { NO_TUPLE } from '../select/relation.ts';
import { coerce } from './coerce.ts';
import { isConstant, type Expr } from './expr.ts';
import type { Partition } from './windows.ts';

/** Bits of `frameOptions` (parsenodes.h FRAMEOPTION_*). */
const RANGE = 0x2;
const ROWS = 0x4;
const GROUPS = 0x8;
const STARTS = { first: 0x20, last: 0x80, current: 0x200, before: 0x800, after: 0x2000 };
const ENDS = { first: 0x40, last: 0x100, current: 0x400, before: 0x1000, after: 0x4000 };
const EXCLUSIONS = 0x38000;

type Edge = keyof typeof STARTS;

interface Bound {
  readonly edge: Edge;
  readonly offset: Expr | null;
}

export interface Frame {
  readonly unit: 'rows' | 'range' | 'groups';
  readonly start: Bound;
  readonly end: Bound;
}

/** The rows from the first number up to the second. */
export type Rows = readonly [number, number];

export function frameOf(place: Place, node: WindowDef, isOrdered: boolean): Frame {
  const { statement } = place;
  const options = node.frameOptions ?? 0;
  const unit = (options & ROWS) !== 0 ? 'rows' : (options & GROUPS) !== 0 ? 'groups' : 'range';
  if ((options & EXCLUSIONS) !== 0) statement.unsupported(node, 'EXCLUDE in a frame', 'leave it out');
  if (unit === 'range' && (options & RANGE) === 0) statement.unsupported(node, 'this frame', 'write ROWS');
  if (unit === 'groups' && !isOrdered)
    statement.fault(node, 'GROUPS mode requires an ORDER BY clause', 'order the window');
  const frame: Frame = {
    unit,
    start: boundOf(place, options, STARTS, node.startOffset),
    end: boundOf(place, options, ENDS, node.endOffset),
  };
  if (unit === 'range' && [frame.start, frame.end].some(({ offset }) => offset !== null))
    statement.unsupported(node, 'RANGE with an offset', 'write ROWS or GROUPS');
  return frame;
}

function boundOf(place: Place, options: number, bits: typeof STARTS, node: Node | undefined): Bound {
  const edge = (Object.keys(bits) as Edge[]).find((one) => (options & bits[one]) !== 0)!;
  if (edge !== 'before' && edge !== 'after') return { edge, offset: null };
  const offset = coerce(place.statement, place.expr(node!), 'integer');
  if (!isConstant(offset))
    place.statement.fault(node!, 'the offset of a frame reads a column', 'write a number or a parameter');
  return { edge, offset };
}

/** The frame of each row of a partition. */
export function boundsOf(run: Run, { unit, start, end }: Frame, partition: Partition): (row: number) => Rows {
  const count = partition.tuples.length;
  const [before, after] = [offsetOf(run, start, 'starting'), offsetOf(run, end, 'ending')];
  const groups = unit === 'groups' ? groupsOf(partition) : null;
  const at = (row: number, { edge }: Bound, offset: number, isStart: boolean): number => {
    if (edge === 'first') return 0;
    if (edge === 'last') return count;
    const moved = edge === 'before' ? -offset : offset;
    if (unit === 'rows') return row + moved + (isStart ? 0 : 1);
    if (groups === null) return isStart ? partition.peersFrom[row]! : partition.peersTo[row]!;
    return groups.edge(row, moved, isStart);
  };
  const within = (place: number): number => Math.max(0, Math.min(count, place));
  return (row) => {
    const from = within(at(row, start, before, true));
    return [from, Math.max(from, within(at(row, end, after, false)))];
  };
}

function offsetOf(run: Run, { offset }: Bound, name: string): number {
  if (offset === null) return 0;
  const value = offset.evaluate(NO_TUPLE, run);
  if (value === null) throw new SqlFault(`frame ${name} offset must not be null`);
  if (Number(value) < 0) throw new SqlFault(`frame ${name} offset must not be negative`);
  return Number(value);
}

/** Frames that count groups of peers. */
function groupsOf({ peersFrom, peersTo }: Partition): {
  edge: (row: number, moved: number, isStart: boolean) => number;
} {
  const starts: number[] = [];
  const numbers = peersFrom.map((from, row) => {
    if (from === row) starts.push(row);
    return starts.length - 1;
  });
  const end = peersTo.length;
  return {
    edge(row, moved, isStart) {
      const group = numbers[row]! + moved + (isStart ? 0 : 1);
      return group < 0 ? 0 : (starts[group] ?? end);
    },
  };
}
