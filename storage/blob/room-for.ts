/** Disks that are full. */
import { hasNoRoom, StorageFull } from '../fault.ts';

/** Turns the system's errors for a full disk into StorageFull, as the archive reports it. */
export async function roomFor<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (hasNoRoom(error)) throw new StorageFull('disk');
    throw error;
  }
}
