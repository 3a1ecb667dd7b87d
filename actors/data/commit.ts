/** Long work lets others write: it waits for room before it stages, and for LMDB where the overlay has filled meanwhile. */
import { setTimeout } from 'node:timers/promises';
import { limits } from '#config/limits.ts';
import type { Work } from '#actors/host/work.ts';
import { isFull } from './schema/store.ts';

const pause = (): Promise<void> => setTimeout(limits.data.fullPauseMs);

/** Waits until the writes that wait for LMDB leave room for others. */
export async function roomFor(work: Work): Promise<void> {
  while (work.activation.store.pressure > limits.data.importPressureMax) await pause();
}

/** Commits what is staged; where other writers have filled the overlay it waits for LMDB, a while. A full disk is a fault at once. */
export async function commitWhenRoom(work: Work): Promise<void> {
  for (let tries = Math.ceil(limits.storage.commitAnswerMs / limits.data.fullPauseMs); ; tries--) {
    try {
      work.commit();
      return;
    } catch (error) {
      // A full overlay makes room; a full disk is another matter.
      if (!isFull(error) || tries === 0) throw error;
    }
    await pause();
  }
}
