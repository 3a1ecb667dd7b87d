/** For who waited: another call may have the tenant to itself. */
import type { Call } from '#actors/host/call.ts';

/** Resolves when nobody else has the tenant to himself. */
export async function freeOf(call: Call): Promise<void> {
  const { exclusive } = call.activation;
  while (exclusive.held && !exclusive.isHeldBy(call)) await new Promise<void>((resolve) => exclusive.whenFree(resolve));
}
