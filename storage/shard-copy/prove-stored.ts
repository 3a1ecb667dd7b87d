/** What a place gives, compared with what it was given: entries go behind copies, and behind pieces of the log. */
import type { Pace } from '#storage/backup/pace.ts';
import { digestOf } from './file-digest.ts';
import type { CopyPlace } from './place.ts';

/** Rejects where a file in the place is another one than its name says, and where the place fails. */
export async function proveStored(place: CopyPlace, name: string, sha256: string, pace: Pace): Promise<void> {
  if ((await digestOf(place.read(name), pace)) !== sha256)
    throw new Error(`${place.where}: ${name} is not what was stored there, so nothing is let go behind it`);
}
