/** The digest of a copy, read piece by piece, so that what reads it can give way to requests. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { limits } from '#config/limits.ts';
import type { Pace } from '#storage/backup/pace.ts';

/** SHA-256 of the pieces, hexadecimal. */
export async function digestOf(pieces: AsyncIterable<Uint8Array>, pace: Pace): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of pieces) {
    hash.update(piece);
    pace.did(1);
    if (pace.over) await pace.rest();
  }
  return hash.digest('hex');
}

export function digestOfFile(path: string, pace: Pace): Promise<string> {
  return digestOf(createReadStream(path, { highWaterMark: limits.backup.readBytes }), pace);
}
