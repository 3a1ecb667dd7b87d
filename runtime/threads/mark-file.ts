/** Keeps how far the vault's store had come, in a file beside the store, so that a store put back from an older copy is detected. */
import { join } from 'node:path';
import { openSlotFile } from '#storage/slot-file.ts';
import type { MarkKeeper } from '#actors/vault/seal/high-water.ts';

/** Opens the file, and makes it where it is missing. */
export function openMarkFile(directory: string): MarkKeeper & { close(): void } {
  const slots = openSlotFile(join(directory, 'mark'));
  return {
    read: () => Promise.resolve(slots.found),
    write: (revision) => slots.write(revision),
    close: () => slots.close(),
  };
}
