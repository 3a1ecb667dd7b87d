/** Disks that are full. */
import { StorageFull } from '../fault.ts';

/** A disk without room is the archive's own kind of full. */
export async function roomFor<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOSPC' || code === 'EDQUOT') throw new StorageFull('disk');
    throw error;
  }
}
