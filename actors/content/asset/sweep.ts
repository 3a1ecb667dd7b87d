/** Removes files that no asset needs: uploads that were not published, files of deleted assets. */
import { nextTurn } from '#actors/host/pace/next-turn.ts';
import { limits } from '#config/limits.ts';
import type { Activation } from '#actors/host/activation.ts';
import { Part } from '#actors/host/part.ts';
import { RunAgain } from '#actors/kit/pace/run-again.ts';
import type { OpenStore } from '../part.ts';

/** Sweeps in the background when the last sweep is long ago. Called when files come and go; no caller waits for it. */
export function sweepSometimes(activation: Activation, store: OpenStore): void {
  const now = activation.context.clock.now();
  if (now - store.sweptAtMs < limits.content.sweepEveryMs) return;
  store.sweptAtMs = now;
  void sweepOrTell(activation, store);
}

async function sweepOrTell(activation: Activation, store: OpenStore): Promise<void> {
  await sweep(activation, store).catch((error: unknown) =>
    activation.context.log.error(
      { err: error, tenant: activation.position.key },
      'a sweep of files that no asset needs failed: they stay on the disk; a later sweep tries again',
    ),
  );
}

const SWEEPS = new Part<Map<string, RunAgain>>('sweeps after erasures', () => new Map());

/** Sweeps in the background, however short ago the last sweep was: assets of a person were deleted. */
export function sweepErased(activation: Activation, store: OpenStore): void {
  const sweeps = SWEEPS.of(activation);
  const one = sweeps.get(store.name) ?? new RunAgain();
  sweeps.set(store.name, one);
  one.ask(() => sweepOrTell(activation, store));
}

/** Removes files that are old enough and that no asset or earlier version needs; gives how many. */
export async function sweep(activation: Activation, store: OpenStore): Promise<number> {
  const before = activation.context.clock.now() - limits.content.sweepGraceMs;
  const isUsed = (sha256: string): Promise<boolean> => isNeeded(activation, store, sha256);
  try {
    await store.uploads.endOld(activation.context.clock.now());
    return await store.blobs.sweep(before, isUsed, nextTurn);
  } finally {
    store.use.countAgain();
  }
}

/** Asks both indexes, whichever the store uses now: an earlier declaration may come back, and with it the other index. */
async function isNeeded(activation: Activation, { database, files }: OpenStore, sha256: string): Promise<boolean> {
  return (await database.uses(activation, sha256)) || (files !== null && (await files.uses(activation, sha256)));
}
