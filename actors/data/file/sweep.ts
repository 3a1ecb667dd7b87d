/** Removes blobs that no row uses: uploads that came to nothing, files of rows that are gone. */
import { nextTurn } from '#actors/host/pace/next-turn.ts';
import { limits } from '#config/limits.ts';
import type { Activation } from '#actors/host/activation.ts';
import { Part } from '#actors/host/part.ts';
import { RunAgain } from '#actors/kit/pace/run-again.ts';
import { partOf } from '../part.ts';
import { isUsed } from '#actors/engine/files/store.ts';

/** Starts a sweep in the background when the last one is long ago. Called where files are written and read; no caller waits for it. */
export function sweepSometimes(activation: Activation): void {
  const part = partOf(activation);
  const now = activation.context.clock.now();
  if (part.files === null || now - part.sweptAtMs < limits.data.blobSweepEveryMs) return;
  part.sweptAtMs = now;
  void sweepOrTell(activation);
}

const SWEEPS = new Part('sweeps of files after erasures', () => new RunAgain());

/** Sweeps in the background, however short ago the last sweep was: rows of a person were deleted. */
export function sweepErased(activation: Activation): void {
  if (partOf(activation).files !== null) SWEEPS.of(activation).ask(() => sweepOrTell(activation));
}

async function sweepOrTell(activation: Activation): Promise<void> {
  await sweep(activation).catch((error: unknown) =>
    activation.context.log.error(
      { err: error, tenant: activation.position.key },
      'unused files stay: a sweep failed, and a later one removes them',
    ),
  );
}

/** Removes files that no row uses and that were not touched for `data.blobGraceMs`; gives how many. */
export async function sweep(activation: Activation): Promise<number> {
  const { files } = partOf(activation);
  if (files === null) return 0;
  const before = activation.context.clock.now() - limits.data.blobGraceMs;
  const used = (sha256: string): boolean => {
    const turn = activation.store.begin();
    try {
      return isUsed(turn, sha256);
    } finally {
      turn.abort();
    }
  };
  return files.sweep(before, used, nextTurn);
}
