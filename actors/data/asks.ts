/** What the node itself asks of data (topic `actor.ask`). Never reachable over HTTP. */
import type { Activation } from '#actors/host/activation.ts';
import type { Work } from '#actors/host/work.ts';
import { operationOf, underLock } from './admin/lock/guard.ts';
import { hasStatements } from './action/registry.ts';
import { explain } from './explain/explain.ts';
import { importRows } from './bulk/import-rows.ts';
import { erasePerson } from './personal/erase-person.ts';
import { rowsOfPerson } from './personal/rows-of-person.ts';
import { eraseSubmissions } from './submission/erase.ts';
import { takeSubmissions } from './submission/take.ts';
import { triggerAsks } from './trigger/events.ts';
import { DEFAULT_DATASTORE } from '#actors/engine/rows/parameters.ts';
import { takeWhenFree } from '#actors/host/pace/own-turns.ts';
import { keepRevision, partOf, readied, serveProduct } from './part.ts';
import { provisionSchema, stepsToTake } from '#actors/engine/schema/apply.ts';
import type { SchemaDiff } from '#actors/engine/schema/diff.ts';
import { loadSqlParser } from '#actors/engine/sql/load.ts';

export const asks = {
  'schema.provision': provision,
  'rows.import': importRows,
  'access.explain': explain,
  'person.rows': rowsOfPerson,
  'person.erase': erasePerson,
  'submissions.take': takeSubmissions,
  'submissions.erase': eraseSubmissions,
  ...triggerAsks,
};

/** Brings the tenant's stored schema up to its definitions; gives the steps taken, as JSON. Throws where the lock is held, or a plan is needed. */
async function provision(work: Work): Promise<string[]> {
  const { key } = work.activation.position;
  const done = await underLock(work, operationOf('provision', DEFAULT_DATASTORE, ''), () => bringUp(work));
  if ('kind' in done)
    throw new Error(`${key}: ${done.by.resource} is locked for ${done.by.op_kind} by ${done.by.hostname}`);
  return done.steps.map((step) => JSON.stringify(step));
}

/**
 * Holds the tenant: a row that was written while an index is filled, or by the old models, would be missing from it. Everything is compiled and
 * compared before anything is written, so that a refusal leaves the tenant as it was, and served.
 */
async function bringUp(work: Work): Promise<SchemaDiff> {
  const { activation } = work;
  const { definitions } = partOf(activation);
  const fresh = await definitions.fresh(activation);
  if ('problems' in fresh) throw new Error(`the product does not load:\n${fresh.problems}`);
  const { product } = fresh;
  if (hasStatements(product)) await loadSqlParser();
  const ready = await readied(work, product);
  await takeWhenFree(work);
  const diff = stepsToTake(activation.store, product);
  refuseConflicts(activation, diff);
  await provisionSchema(activation.store, product);
  await keepRevision(work, fresh);
  await serveProduct(work, ready);
  definitions.adopted(activation, fresh);
  return diff;
}

/** An entity that left the files is no conflict: its rows stay, it is not served, and a plan that allows drops removes it. */
function refuseConflicts({ context, position: { key } }: Activation, { conflicts }: SchemaDiff): void {
  const left = conflicts.filter(({ kind }) => kind === 'remove_entity').map(({ name }) => name);
  if (left.length > 0)
    context.log.warn(
      { tenant: key, entities: left },
      'stored entities are not declared any more: their rows are kept and not served; a plan with allow_drops removes them',
    );
  const others = conflicts.filter(({ kind }) => kind !== 'remove_entity');
  if (others.length === 0) return;
  const lines = others.map((conflict) => `  ${conflict.message}`).join('\n');
  throw new Error(`${key}: the definitions differ from what is stored in ways that need a plan:\n${lines}`);
}
