/** What the node itself asks of data (topic `actor.ask`). Never reachable over HTTP. */
import type { Work } from '#actors/host/work.ts';
import { underLock } from './admin/plan/under-lock.ts';
import { importRows } from './bulk/import-rows.ts';
import { provisionSchema } from './schema/apply.ts';

export const asks = {
  'schema.provision': provision,
  'rows.import': importRows,
};

/** Brings the tenant's stored schema up to its definitions; the steps taken, in words. Throws when a plan would be needed. */
async function provision(work: Work): Promise<string[]> {
  const { store, product, position } = work.activation;
  const done = await underLock(work, 'provisioning', () => provisionSchema(store, product));
  if ('kind' in done) throw new Error(`${position.key}: the plan ${done.planId} is being applied`);
  const { steps, conflicts } = done;
  if (conflicts.length > 0) {
    const lines = conflicts.map((conflict) => `  ${conflict.message}`).join('\n');
    throw new Error(`${position.key}: the definitions differ from what is stored in ways that need a plan:\n${lines}`);
  }
  return steps.map((step) => JSON.stringify(step));
}
