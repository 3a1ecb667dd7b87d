/** Disks that are full. */
import { StorageFull } from '../fault.ts';

/** Turns the system's errors for a full disk into StorageFull, as the archive reports it. */
export async function roomFor<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOSPC' || code === 'EDQUOT') throw new StorageFull('disk');
    throw error;
  }
}
