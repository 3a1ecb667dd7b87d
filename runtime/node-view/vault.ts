/** The node's vault as its thread says it is. The thread is asked with a deadline: one that starts again, or whose store keeps still, is said to be so. */
import type { NodeVault } from '#actors/protocol/vault-state.ts';
import type { ViewParts } from './view-parts.ts';

export async function vaultOf({ live, rooms }: Pick<ViewParts, 'live' | 'rooms'>): Promise<NodeVault> {
  if (!live.platform.vault.enabled) return { vault: null };
  try {
    return { vault: { failed: null, state: await rooms.vault.state() } };
  } catch (error) {
    return { vault: { failed: (error as Error).message.split('\n')[0]!, state: null } };
  }
}
