/** RETURNING: the columns that are shown of the rows that were written. */
import type { ReturningClause } from 'libpg-query';
import type { Written } from '../../rows/write.ts';
import type { Ctes, StatementContext } from '../context.ts';
import { placeOf } from '../expression/expression.ts';
import { holdsAggregate } from '../expression/aggregation.ts';
import type { Run, Tuple } from '../run.ts';
import type { Level } from '../select/level.ts';
import type { Output, Relation } from '../select/relation.ts';
import { checkMasks, fill, modelOf } from '../select/scan.ts';
import { outputOf, targetsOf } from '../select/targets.ts';
import type { Value } from '../type.ts';

export interface Returning {
  readonly columns: readonly Output[] | null;
  /** Must be called before the first row is shown. */
  prepare(run: Run): void;
  /** The shown values of a written row; `tuple` is the one that led to it. */
  show(run: Run, tuple: Tuple, written: Written): readonly Value[];
}

/** `target`: the relation of `level` whose rows are written. */
export function returningOf(
  statement: StatementContext,
  level: Level,
  target: Relation,
  ctes: Ctes,
  clause: ReturningClause | undefined,
): Returning {
  if (clause === undefined) return { columns: null, prepare() {}, show: () => [] };
  statement.only(clause, ['exprs']);
  const before = level.subqueries.length;
  const nodes = clause.exprs ?? [];
  if (nodes.some(holdsAggregate)) statement.fault(nodes[0]!, 'aggregates may not stand in RETURNING', 'select them');
  const targets = targetsOf(placeOf(statement, level, ctes, 'RETURNING'), nodes);
  if (level.subqueries.length > before)
    statement.unsupported(nodes[0]!, 'a subquery in RETURNING', 'select it in an action of its own');
  return {
    columns: targets.map(outputOf),
    prepare(run) {
      checkMasks(run, modelOf(run, target.table!.name), target);
    },
    show(run, tuple, { model, after, before: old }) {
      const shown = tuple.slice();
      fill(shown, model, target, (after ?? old)!);
      return targets.map(({ expr }) => expr.evaluate(shown, run));
    },
  };
}
