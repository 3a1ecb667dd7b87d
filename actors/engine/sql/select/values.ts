/** VALUES: rows that are written in the statement. */
import type { Node } from 'libpg-query';
import type { Place } from '../context.ts';
import { unified } from '../expression/coerce.ts';
import type { Expr } from '../expression/expr.ts';
import { eachRow, type Run, type Steps } from '../run.ts';
import type { Value } from '../type.ts';
import { countOf } from './plan.ts';
import { NO_TUPLE, type Plan } from './relation.ts';

interface Window {
  readonly limit: Expr | null;
  readonly offset: Expr | null;
}

export function valuesPlan(place: Place, lists: readonly Node[], { limit, offset }: Window): Plan {
  const { statement, level } = place;
  const rows = lists.map((list) => ('List' in list ? (list.List.items ?? []).map(place.expr) : []));
  const width = rows[0]?.length ?? 0;
  if (rows.some((row) => row.length !== width))
    statement.fault(lists[0]!, 'the rows of VALUES have different lengths', 'give all of them as many values');
  const columns = Array.from({ length: width }, (_, i) =>
    unified(
      statement,
      rows.map((row) => row[i]!),
      'a column of VALUES',
    ),
  );
  return {
    columns: columns.map((column, i) => ({
      name: `column${i + 1}`,
      type: column[0]!.type,
      integral: false,
      narrow: column.every(({ narrow }) => narrow),
    })),
    outerDepths: level.outerDepths,
    outerReads: level.outerReads,
    *prepare(run: Run): Steps<void> {
      for (const plan of level.subqueries) yield* plan.prepare(run);
    },
    *rows(run: Run): Steps<Value[][]> {
      yield* this.prepare(run);
      const from = countOf(run, offset, 'OFFSET') ?? 0;
      const all: Value[][] = [];
      yield* eachRow(run, rows, (_, at) => {
        const row = columns.map((column) => column[at]!.evaluate(NO_TUPLE, run));
        run.hold(row);
        all.push(row);
      });
      return all.slice(from, from + (countOf(run, limit, 'LIMIT') ?? Infinity));
    },
  };
}
