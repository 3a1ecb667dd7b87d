/** Removes files that no asset needs: uploads that came to nothing, files of assets that are gone. */
import { nextTurn } from '#actors/host/pace/next-turn.ts';
import { limits } from '#config/limits.ts';
import type { Activation } from '#actors/host/activation.ts';
import type { OpenStore } from '../part.ts';

/** Sweeps in the background when the last time is long ago. Called where files come and go; nobody waits for it. */
export function sweepSometimes(activation: Activation, store: OpenStore): void {
  const now = activation.context.clock.now();
  if (now - store.sweptAtMs < limits.content.sweepEveryMs) return;
  store.sweptAtMs = now;
  sweep(activation, store).catch((error: unknown) =>
    activation.context.log.error({ err: error, tenant: activation.position.key }, 'unused assets were not swept'),
  );
}

/** Removes what nobody touched for a while and no asset, present or earlier, needs; how many. */
export async function sweep(activation: Activation, store: OpenStore): Promise<number> {
  const before = activation.context.clock.now() - limits.content.sweepGraceMs;
  const isUsed = (sha256: string): Promise<boolean> => isNeeded(activation, store, sha256);
  try {
    return await store.blobs.sweep(before, isUsed, nextTurn);
  } finally {
    store.use.countAgain();
  }
}

/** Both are asked, whichever the store has now: what the other one knows may be wanted again with an earlier declaration. */
async function isNeeded(activation: Activation, { database, files }: OpenStore, sha256: string): Promise<boolean> {
  return (await database.uses(activation, sha256)) || (files !== null && (await files.uses(activation, sha256)));
}
