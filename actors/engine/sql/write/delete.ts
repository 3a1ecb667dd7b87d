/** DELETE: deletes as REST does, softly where the entity has that trait. */
import type { DeleteStmt } from 'libpg-query';
import { deleteSteps } from '../../rows/delete.ts';
import { isFailure, type Failure } from '../../rows/failure.ts';
import type { EntityModel } from '../../rows/model.ts';
import type { Written } from '../../rows/write.ts';
import type { StatementContext } from '../context.ts';
import type { Run, Steps } from '../run.ts';
import { modelOf } from '../select/scan.ts';
import type { Ran, Statement } from '../statement.ts';
import type { Value } from '../type.ts';
import { returningOf } from './returning.ts';
import { foundOnce, targetLevel } from './target.ts';
import { requestAs, writeAll } from './work.ts';

export function compileDelete(statement: StatementContext, node: DeleteStmt): Statement {
  statement.only(node, ['relation', 'usingClause', 'whereClause', 'returningClause', 'withClause']);
  const target = targetLevel(statement, node.relation!, node.withClause, node.usingClause ?? [], node.whereClause);
  const { level, relation, ctes, table } = target;
  const returning = returningOf(statement, level, relation, ctes, node.returningClause);
  return {
    kind: 'delete',
    columns: returning.columns,
    *run(run: Run): Steps<Ran> {
      const model = modelOf(run, table.name);
      const found = yield* foundOnce(run, target);
      const writes = found.map(({ tuple, id }) => ({ tuple, stage: () => removed(run, model, id) }));
      return yield* writeAll(run, returning, writes);
    },
  };
}

/** Deletes one row; null when the delete of another row of the same statement has already removed it. */
function* removed(run: Run, model: EntityModel, id: Value): Steps<Written | Failure | null> {
  const steps = deleteSteps(run.session, model, id, false, requestAs(run, 'delete', model.name, id, null));
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return isFailure(step.value) && step.value.status === 404 ? null : step.value;
    if (run.spend(1)) yield;
  }
}
