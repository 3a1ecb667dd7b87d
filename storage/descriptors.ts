/**
 * A process, or the machine, that has no file descriptor left (EMFILE, ENFILE). Nothing was opened, and nothing is known to be wrong with a disk: others give descriptors back,
 * connections above all, which leave some free (runtime/door).
 */
import { setTimeout } from 'node:timers/promises';
import { limits } from '#config/limits.ts';

const AGAIN_MS = 50;

export function isOutOfDescriptors(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return code === 'EMFILE' || code === 'ENFILE';
}

/** Opens, again and again while there are no descriptors, for as long as a disk may take to answer. `open` leaves nothing half done where it cannot open. */
export async function whenDescriptors<T>(open: () => Promise<T>): Promise<T> {
  for (let tries = Math.ceil(limits.storage.commitAnswerMs / AGAIN_MS); ; tries--)
    try {
      return await open();
    } catch (error) {
      if (tries === 0 || !isOutOfDescriptors(error)) throw error;
      await setTimeout(AGAIN_MS);
    }
}
