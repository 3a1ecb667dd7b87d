/** States of a tenant in which only the node may touch it: all after the four of provisioning. */
import type { TenantState } from './topics.ts';

/** Why commands may not touch a tenant now, as text for an operator; null when they may. */
export function heldState(state: TenantState): string | null {
  if (state === 'restoring') return 'is being restored: run skep tenant restore again, or skep tenant delete';
  if (state === 'moving') return 'is being moved: wait for skep tenant move, or start the node again';
  return state === 'deleting' ? 'is being deleted: run skep tenant delete again to finish' : null;
}
