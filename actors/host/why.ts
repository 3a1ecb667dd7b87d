/** Why a turn could not run or could not be kept. */
import { StorageFull } from '#storage/fault.ts';
import { Busy } from '#actors/protocol/busy.ts';
import { TenantHeld } from './exclusive.ts';

/** What passes by waiting is overload; a full disk does not pass; everything else is a fault of ours. */
export function whyOf(error: unknown): 'overloaded' | 'storage_full' | 'fault' {
  if (error instanceof Busy || error instanceof TenantHeld) return 'overloaded';
  if (!(error instanceof StorageFull)) return 'fault';
  return error.why === 'disk' ? 'storage_full' : 'overloaded';
}
