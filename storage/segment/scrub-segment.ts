/**
 * A sealed segment of a log that is served against what was written beside it when it was sealed: its bytes against its manifest, the log's tiles
 * against the manifest's root. Nothing is locked: a segment that is pruned meanwhile is none.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { limits } from '#config/limits.ts';
import { Corruption } from '../fault.ts';
import { readCheckpoint } from './checkpoint.ts';
import { readOnlyFiles, type ReadOnlyFiles } from './files.ts';
import { HashReader, TileMissing } from './hash-reader.ts';
import { manifestPath, readManifest, segmentFirst, segmentPath, type Manifest } from './manifest.ts';
import { piecesOf } from './pack-file.ts';

/** Called after each piece with its bytes; resolves when the next one may be read. */
export type Paced = (bytes: number) => Promise<void>;

/** First records of the segments of a log's directory that have a manifest, in order. */
export async function sealedFirsts(directory: string): Promise<number[]> {
  const names = await readOnlyFiles(directory).names('segments');
  const sealed = new Set(names);
  return names
    .map((name) => segmentFirst(`segments/${name}`))
    .filter((first) => first !== null && sealed.has(manifestPath(first).slice('segments/'.length)))
    .map(Number)
    .toSorted((a, b) => a - b);
}

/** What is wrong with a sealed segment; null where it is well, or gone. */
export async function segmentFault(directory: string, first: number, paced: Paced): Promise<string | null> {
  const files = readOnlyFiles(directory);
  const bytes = await files.read(manifestPath(first));
  if (bytes === null) return null;
  const manifest = readManifest(bytes.toString());
  if (manifest?.first !== first) return 'its manifest is not as it was written';
  return (await bytesFault(join(directory, segmentPath(first)), manifest, paced)) ?? (await treeFault(files, manifest));
}

async function bytesFault(path: string, { bytes, sha256 }: Manifest, paced: Paced): Promise<string | null> {
  const pieces = await piecesOf(path, limits.scrub.pieceBytes);
  if (pieces === null) return null; // pruned: its manifest stays
  const hash = createHash('sha256');
  let at = 0;
  for await (const piece of pieces) {
    hash.update(piece);
    at += piece.length;
    await paced(piece.length);
  }
  if (at !== bytes) return `it has ${at} bytes, and was sealed with ${bytes}`;
  return hash.digest('hex') === sha256 ? null : 'its bytes are not those that it was sealed with';
}

/** Over the newest tree: tiles that were not full when the segment was sealed have been replaced by wider ones. */
async function treeFault(files: ReadOnlyFiles, manifest: Manifest): Promise<string | null> {
  const before = await treeProblem(files, manifest);
  // A checkpoint that was published meanwhile takes narrower tiles away.
  return before === null ? null : treeProblem(files, manifest);
}

async function treeProblem(files: ReadOnlyFiles, { size, root }: Manifest): Promise<string | null> {
  const bytes = await files.read('checkpoint');
  const checkpoint = bytes === null ? null : readCheckpoint(bytes);
  if (checkpoint === null) return 'the checkpoint of its log cannot be read';
  try {
    const found = await new HashReader((path) => files.read(path), checkpoint.size).root({ from: 0, to: size });
    return Buffer.from(found).toString('base64') === root ? null : 'the tiles of its log do not lead to its root';
  } catch (error) {
    if (error instanceof Corruption || error instanceof TileMissing) return error.message;
    throw error;
  }
}
