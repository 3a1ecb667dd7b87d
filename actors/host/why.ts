/** Why a turn could not run or could not be kept. */
import { ShardStopped, StorageFull } from '#storage/fault.ts';
import { OutOfFuel } from '#actors/kit/pace/fuel.ts';
import { Busy } from '#actors/protocol/busy.ts';
import { TenantHeld } from './exclusive.ts';

export type Why = 'overloaded' | 'storage_full' | 'too_costly' | 'stopped' | 'fault';

/**
 * Overload passes with time; a full disk does not, nor does work that burns more than a turn may; a stopped shard needs an operator (log
 * and `degraded[]` say so when it stops); every other error is a fault of Skep.
 */
export function whyOf(error: unknown): Why {
  if (error instanceof Busy || error instanceof TenantHeld) return 'overloaded';
  if (error instanceof ShardStopped) return 'stopped';
  if (error instanceof OutOfFuel) return 'too_costly';
  if (!(error instanceof StorageFull)) return 'fault';
  return error.why === 'disk' ? 'storage_full' : 'overloaded';
}
