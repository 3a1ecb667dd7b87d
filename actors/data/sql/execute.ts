/** Runs compiled statements under the caller's rules. */
import { failure } from '../entity/failure.ts';
import type { Session } from '../entity/session.ts';
import type { CompiledSql, SqlOutcome } from './compiled.ts';

/**
 * Runs a statement in the session's turn: it reads and stages there, and whoever called it commits. Synchronous unless it is long;
 * a long read goes on over one snapshot, a long write holds the tenant. `method` is what rules see as `request.method`.
 * A failure (403, 404, 422, 500) means that the turn must be dropped: some rows may be staged.
 */
export function executeSql(
  compiled: CompiledSql,
  _values: Readonly<Record<string, unknown>>,
  _session: Session,
  _method = 'POST',
): SqlOutcome | Promise<SqlOutcome> {
  return failure(500, `${compiled.kind} cannot be run`);
}
