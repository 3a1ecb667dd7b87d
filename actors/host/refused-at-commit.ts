/** The refusals of writes that are judged where they would be kept: of a read-only tenant, and of one that is as large as it may be. */
import { doorRefusals } from '#actors/protocol/door-refusals.ts';
import { refuserOf, type Refusal } from '#actors/protocol/refusal.ts';
import { refuseReadOnly } from '#actors/protocol/standing.ts';
import { TenantReadOnly } from './read-only.ts';
import { TenantFull } from './tenant-use.ts';

const refuse = refuserOf(doorRefusals);

/** Null for any other error. */
export function refusedAtCommit(error: unknown): Refusal | null {
  if (error instanceof TenantReadOnly) return refuseReadOnly();
  if (!(error instanceof TenantFull)) return null;
  const { quota, limit } = error;
  return refuse('tenant_full', { details: { quota, limit } });
}
