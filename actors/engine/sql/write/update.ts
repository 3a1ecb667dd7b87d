/** UPDATE: finds the rows as a select does, computes all new values, then changes each row. */
import type { UpdateStmt } from 'libpg-query';
import type { Failure } from '../../rows/failure.ts';
import { updateRow } from '../../rows/update.ts';
import type { Written } from '../../rows/write.ts';
import type { StatementContext } from '../context.ts';
import { placeOf } from '../expression/expression.ts';
import { eachRow, type Run, type Steps } from '../run.ts';
import { modelOf } from '../select/scan.ts';
import type { Ran, Statement } from '../statement.ts';
import { assignmentsOf, inputOf } from './assign.ts';
import { foundOnce, targetLevel } from './target.ts';
import { returningOf } from './returning.ts';
import { requestAs, writeAll, type Write } from './work.ts';

export function compileUpdate(statement: StatementContext, node: UpdateStmt): Statement {
  statement.only(node, ['relation', 'targetList', 'whereClause', 'fromClause', 'returningClause', 'withClause']);
  const target = targetLevel(statement, node.relation!, node.withClause, node.fromClause ?? [], node.whereClause);
  const { level, relation, ctes, table } = target;
  const place = placeOf(statement, level, ctes, 'SET');
  const assignments = assignmentsOf(place, table, node.targetList ?? []);
  const returning = returningOf(statement, level, relation, ctes, node.returningClause);
  return {
    kind: 'update',
    columns: returning.columns,
    *run(run: Run): Steps<Ran> {
      const model = modelOf(run, table.name);
      const found = yield* foundOnce(run, target);
      // All values are computed from the rows as they were, before the first of them changes.
      const writes: Write[] = [];
      yield* eachRow(run, found, ({ tuple, id }) => {
        const input = inputOf(run, tuple, assignments);
        const stage = (): Written | Failure =>
          updateRow(run.session, model, id, input, requestAs(run, 'update', model.name, id, input));
        writes.push({ tuple, stage });
      });
      return yield* writeAll(run, returning, writes);
    },
  };
}
