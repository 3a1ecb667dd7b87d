/** The rows that UPDATE and DELETE change: those of one entity, found by a join with others. */
import type { Node, RangeVar, WithClause } from 'libpg-query';
import type { Ctes, StatementContext } from '../context.ts';
import { placeOf } from '../expression/expression.ts';
import type { Run, Steps, Tuple } from '../run.ts';
import type { SqlTable } from '../schema.ts';
import { addRelation, baseOf, conjunctsOf, fromOf, tableOf, type Base, type From } from '../select/from.ts';
import { joined } from '../select/join.ts';
import { Level } from '../select/level.ts';
import type { Relation } from '../select/relation.ts';
import { withCtes } from '../select/with.ts';
import type { Value } from '../type.ts';

export interface TargetLevel {
  readonly level: Level;
  readonly relation: Relation;
  readonly table: SqlTable;
  readonly ctes: Ctes;
  readonly base: Base;
  /** The slot of a tuple that holds the key of its row. */
  readonly keySlot: number;
}

export function targetLevel(
  statement: StatementContext,
  node: RangeVar,
  withClause: WithClause | undefined,
  others: readonly Node[],
  where: Node | undefined,
): TargetLevel {
  const ctes = withCtes(statement, withClause, new Map());
  const table = tableOf(statement, node);
  const level = new Level(null);
  const relation = addRelation(statement, level, node, node.alias?.aliasname ?? table.name, table);
  const keySlot = relation.slotOf(table.key, false);
  const rest = fromOf(statement, level, ctes, others);
  const self: From = { kind: 'relation', relation };
  const from: From = rest === null ? self : { kind: 'joined', type: 'inner', left: self, right: rest, on: null };
  const place = placeOf(statement, level, ctes, 'WHERE');
  const base = baseOf(place, from, conjunctsOf(place, where, 'WHERE'));
  return { level, relation, table, ctes, base, keySlot };
}

/** Each row once, even when it is joined with several. */
export function* foundOnce(run: Run, target: TargetLevel): Steps<{ tuple: Tuple; id: Value }[]> {
  const { level, base, keySlot } = target;
  for (const plan of level.subqueries) yield* plan.prepare(run);
  const tuples = yield* joined(run, base.step!, level.width);
  const byKey = new Map<Value, Tuple>();
  for (const tuple of tuples) if (!byKey.has(tuple[keySlot])) byKey.set(tuple[keySlot], tuple);
  return [...byKey].map(([id, tuple]) => ({ tuple, id }));
}
