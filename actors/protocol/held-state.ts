/** States of a tenant in which nobody but the node touches it: all behind the four of provisioning. */
import type { TenantState } from './topics.ts';

/** Why nobody may touch a tenant now, for people; null when it is nobody's but its own. */
export function heldState(state: TenantState): string | null {
  if (state === 'restoring') return 'is being restored: run skep tenant restore again, or skep tenant delete';
  if (state === 'moving') return 'is being moved: wait for skep tenant move, or start the node again';
  return state === 'deleting' ? 'is being deleted: run skep tenant delete again to finish' : null;
}
