/**
 * Rows and bytes of a tenant, for its usage and its quotas: known when it wakes, from the counts of its entities. A store of before bytes
 * were counted is counted once, beside the callers, a slice in each turn of its own; how far it has come is stored with the sum, so that
 * what a crash or a sleep interrupts goes on. Spec: docs/contract/tenants.md §2.
 */
import type { Activation } from '#actors/host/activation.ts';
import { TenantClosed } from '#actors/host/exclusive.ts';
import { commitTurn, rest } from '#actors/host/pace/own-turns.ts';
import { Work } from '#actors/host/work.ts';
import { Budget } from '#actors/kit/pace/budget.ts';
import { countSome, totalCount, uncounted } from '#actors/engine/rows/count/store.ts';
import { limits } from '#config/limits.ts';

const SLICE = { sliceReadMsMax: limits.plans.sliceReadMsMax, sliceRowsMax: limits.data.sliceScanRowsMax };

/** Gives the activation what its tenant has, and counts bytes where they are not counted. Resolves when that has ended; never rejects. */
export async function countBytes(activation: Activation): Promise<void> {
  activation.exclusive.enter();
  try {
    for (const table of look(activation)) await countTable(activation, table);
  } catch (error) {
    if (!(error instanceof TenantClosed))
      activation.context.log.warn(
        { err: error, tenant: activation.position.key },
        'rows and bytes of a tenant are not, or not all, counted: the count goes on when the tenant wakes the next time',
      );
  } finally {
    activation.exclusive.leave();
  }
}

/** Tables of which bytes are not counted yet. */
function look({ store, use }: Activation): number[] {
  const turn = store.begin();
  try {
    const { live, deleted, bytes } = totalCount(turn);
    use?.counted(live + deleted, bytes);
    return uncounted(turn);
  } finally {
    turn.abort();
  }
}

async function countTable(activation: Activation, table: number): Promise<void> {
  const work = new Work(activation);
  while (!activation.exclusive.wanted && !(await countSlice(work, table))) await rest();
}

/** Counts a slice; true when all is counted. */
async function countSlice(work: Work, table: number): Promise<boolean> {
  let isOver = false;
  await commitTurn(work, (turn) => {
    isOver = countSome(turn, table, new Budget(work.activation.context.clock, SLICE));
  });
  return isOver;
}
