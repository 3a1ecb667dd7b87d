/** What an import needs to know of the archive. */
import { StorageFull } from '#storage/fault.ts';

/** Other writers have filled the overlay: LMDB will make room. A full disk is another matter. */
export function isOverlayFull(error: unknown): boolean {
  return error instanceof StorageFull && error.why === 'overlay';
}
