/** row_number, rank and their kin; lag and lead; first_value, last_value, nth_value. */
import type { StatementContext } from '../context.ts';
import { SqlFault } from '../fault.ts';
import { eachRow, type Run, type Steps } from '../run.ts';
import type { SqlType, Value } from '../type.ts';
import { coerce, unified } from './coerce.ts';
import type { Expr } from './expr.ts';
import { boundsOf, type Frame } from './frame.ts';
import type { Partition, WindowFunction } from './windows.ts';

/** The value of one row of a partition. */
type ByRow = (row: number) => Value;

interface Kind {
  readonly args: readonly [number, number];
  /** Null for the type of the first argument. */
  readonly gives: SqlType | null;
  readonly narrow?: boolean;
  readonly begin: (run: Run, partition: Partition, args: readonly Expr[], frame: Frame) => ByRow;
}

const KINDS: Readonly<Record<string, Kind>> = {
  row_number: { args: [0, 0], gives: 'integer', begin: () => (row) => row + 1 },
  rank: {
    args: [0, 0],
    gives: 'integer',
    begin:
      (_run, { peersFrom }) =>
      (row) =>
        peersFrom[row]! + 1,
  },
  dense_rank: { args: [0, 0], gives: 'integer', begin: denseRank },
  percent_rank: {
    args: [0, 0],
    gives: 'float',
    begin:
      (_run, { peersFrom, tuples }) =>
      (row) =>
        tuples.length === 1 ? 0 : peersFrom[row]! / (tuples.length - 1),
  },
  cume_dist: {
    args: [0, 0],
    gives: 'float',
    begin:
      (_run, { peersTo, tuples }) =>
      (row) =>
        peersTo[row]! / tuples.length,
  },
  ntile: { args: [1, 1], gives: 'integer', narrow: true, begin: tiles },
  lag: { args: [1, 3], gives: null, begin: (run, partition, args) => neighbour(run, partition, args, -1) },
  lead: { args: [1, 3], gives: null, begin: (run, partition, args) => neighbour(run, partition, args, 1) },
  first_value: {
    args: [1, 1],
    gives: null,
    begin: (run, partition, args, frame) => inFrame(run, partition, args, frame, ([from]) => from),
  },
  last_value: {
    args: [1, 1],
    gives: null,
    begin: (run, partition, args, frame) => inFrame(run, partition, args, frame, ([, to]) => to - 1),
  },
  nth_value: { args: [2, 2], gives: null, begin: nth },
};

function denseRank(_run: Run, { peersFrom }: Partition): ByRow {
  let rank = 0;
  return (row) => (peersFrom[row] === row ? ++rank : rank);
}

function tiles(run: Run, { tuples }: Partition, [count]: readonly Expr[]): ByRow {
  const value = count!.evaluate(tuples[0]!, run);
  if (value === null) return () => null;
  const many = Number(value);
  if (many <= 0) throw new SqlFault('argument of ntile must be greater than zero');
  const size = Math.floor(tuples.length / many);
  const larger = tuples.length % many;
  const edge = larger * (size + 1);
  return (row) => (row < edge ? Math.floor(row / (size + 1)) + 1 : larger + Math.floor((row - edge) / size) + 1);
}

function neighbour(run: Run, { tuples }: Partition, [arg, by, otherwise]: readonly Expr[], sign: number): ByRow {
  return (row) => {
    const tuple = tuples[row]!;
    const distance = by === undefined ? 1 : by.evaluate(tuple, run);
    if (distance === null) return null;
    const other = tuples[row + sign * Number(distance)];
    if (other !== undefined) return arg!.evaluate(other, run);
    return otherwise === undefined ? null : otherwise.evaluate(tuple, run);
  };
}

function inFrame(
  run: Run,
  partition: Partition,
  [arg]: readonly Expr[],
  frame: Frame,
  pick: (rows: readonly [number, number]) => number,
): ByRow {
  const rowsOf = boundsOf(run, frame, partition);
  return (row) => {
    const rows = rowsOf(row);
    return rows[0] === rows[1] ? null : arg!.evaluate(partition.tuples[pick(rows)]!, run);
  };
}

function nth(run: Run, partition: Partition, [arg, at]: readonly Expr[], frame: Frame): ByRow {
  const rowsOf = boundsOf(run, frame, partition);
  return (row) => {
    const value = at!.evaluate(partition.tuples[row]!, run);
    if (value === null) return null;
    if (Number(value) <= 0) throw new SqlFault('argument of nth_value must be greater than zero');
    const [from, to] = rowsOf(row);
    const wanted = from + Number(value) - 1;
    return wanted < to ? arg!.evaluate(partition.tuples[wanted]!, run) : null;
  };
}

export function isWindowFunction(name: string): boolean {
  return Object.hasOwn(KINDS, name);
}

export interface CompiledWindowFunction {
  readonly type: SqlType;
  readonly narrow: boolean;
  readonly made: (frame: Frame, slot: number) => WindowFunction;
}

export function windowFunction(
  statement: StatementContext,
  at: number,
  name: string,
  given: readonly Expr[],
): CompiledWindowFunction {
  const {
    args: [least, most],
    gives,
    narrow,
    begin,
  } = KINDS[name]!;
  if (given.length < least || given.length > most)
    return statement.fault(
      at,
      `${name} takes ${least === most ? least : `${least} to ${most}`} values`,
      'mend its arguments',
    );
  const args = gives === null ? shifted(statement, given) : given.map((one) => coerce(statement, one, 'integer'));
  return {
    type: gives ?? args[0]!.type,
    narrow: narrow ?? args[0]?.narrow === true,
    made: (frame, slot) => ({
      *fill(run, partition): Steps<void> {
        const valueOf = begin(run, partition, args, frame);
        yield* eachRow(run, partition.tuples, (tuple, row) => {
          tuple[slot] = valueOf(row);
        });
      },
    }),
  };
}

/** The arguments of lag, lead and nth_value: a value, how far away it is, and a value of its type for where there is none. */
function shifted(statement: StatementContext, [value, by, otherwise]: readonly Expr[]): Expr[] {
  const pair = otherwise === undefined ? [value!] : unified(statement, [value!, otherwise], 'LAG and LEAD');
  return [pair[0]!, ...(by === undefined ? [] : [coerce(statement, by, 'integer')]), ...pair.slice(1)];
}
