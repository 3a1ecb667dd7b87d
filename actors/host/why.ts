/** Why a turn could not run or could not be kept. */
import { ShardStopped, StorageFull } from '#storage/fault.ts';
import { OutOfFuel } from '#actors/kit/pace/fuel.ts';
import { Busy } from '#actors/protocol/busy.ts';
import { TenantHeld } from './exclusive.ts';

export type Why = 'overloaded' | 'storage_full' | 'too_costly' | 'stopped' | 'fault';

/**
 * What passes by waiting is overload; a full disk does not pass, nor does what burns more than a turn may; a stopped shard waits for an
 * operator, whom log and `degraded[]` told when it stopped; everything else is a fault of the product.
 */
export function whyOf(error: unknown): Why {
  if (error instanceof Busy || error instanceof TenantHeld) return 'overloaded';
  if (error instanceof ShardStopped) return 'stopped';
  if (error instanceof OutOfFuel) return 'too_costly';
  if (!(error instanceof StorageFull)) return 'fault';
  return error.why === 'disk' ? 'storage_full' : 'overloaded';
}
