/** After a wait another call may hold the tenant. */
import type { Call } from '#actors/host/call.ts';

/** Resolves once no other call holds the tenant. */
export async function freeOf(call: Call): Promise<void> {
  const { exclusive } = call.activation;
  while (exclusive.held && !exclusive.isHeldBy(call)) await new Promise<void>((resolve) => exclusive.whenFree(resolve));
}
