/** Removes chunks that no set needs any more. */
import type { Pace } from '#storage/backup/pace.ts';
import { beganAt, type BackupPlace } from '#storage/backup-set/place.ts';
import { readChunkName } from './chunk.ts';

/**
 * Keeps what brings the first set from an instant (milliseconds) on to any later moment: the newest chunk from before it, and all after that.
 * Gives how many were removed. Where there is no such set, the newest one counts.
 */
export async function retireChunks(place: BackupPlace, fromMs: number, pace: Pace): Promise<number> {
  const began = (await place.sets()).map((id) => beganAt(id));
  const first = began.find((ms) => ms >= fromMs) ?? began.at(-1);
  if (first === undefined) return 0;
  const names = (await place.chunks()).flatMap((name) => readChunkName(name) ?? []);
  const start = names.findLastIndex(({ moment }) => moment <= first);
  for (const { name } of names.slice(0, Math.max(0, start))) {
    await place.removeChunk(name);
    if (pace.over) await pace.rest();
  }
  return Math.max(0, start);
}
