/** How far the vault's store had come, in a file beside it: not in the store, which may be put back. */
import { join } from 'node:path';
import { openSlotFile } from '#storage/slot-file.ts';
import type { MarkKeeper } from '#actors/vault/seal/high-water.ts';

/** Opens, and makes when missing, the file. */
export function openMarkFile(directory: string): MarkKeeper & { close(): void } {
  const slots = openSlotFile(join(directory, 'mark'));
  return {
    read: () => Promise.resolve(slots.found),
    write: (revision) => slots.write(revision),
    close: () => slots.close(),
  };
}
