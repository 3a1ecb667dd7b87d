/** The entries of a log out of its segments, each line and manifest held against what it says. */
import { createHash } from 'node:crypto';
import { readCheckpoint } from '../checkpoint.ts';
import { tileHashes } from '../fringe.ts';
import { HASH_BYTES, leafHash } from '../hash.ts';
import { isTorn, readLine } from '../line.ts';
import { manifestPath, readManifest, segmentFirst, segmentPath, type Manifest } from '../manifest.ts';
import { TILE_WIDTH, tilePath } from '../tile-path.ts';
import type { Reader } from './compare-tiles.ts';
import { Tampered, base64 } from './report.ts';
import { isTrusted, type Signers } from './trust.ts';

/** One entry; null where its segment was pruned and only its hash is left. */
export interface SegmentEntry {
  readonly index: number;
  readonly entry: Buffer | null;
  readonly leaf: Uint8Array;
  readonly file: string;
}

export interface SegmentsOptions {
  readonly reader: Reader;
  readonly signers: Signers;
  /** Entries that the checkpoint covers. */
  readonly signed: number;
  /** A root that a manifest gives for a size, to be held against the tree. */
  readonly expectRoot: (size: number, root: string, file: string) => void;
  /** A manifest carries a signed checkpoint of this size. */
  readonly signedElsewhere: (size: number, file: string) => void;
  readonly missing: string[];
}

/** Indexes of first entries, in order, of segments and of manifests whose segment is gone. */
export async function firstsOf(reader: Reader): Promise<number[]> {
  const firsts = new Set<number>();
  for (const name of await reader.names('segments')) {
    const first = segmentFirst(`segments/${name.replace(/\.json$/, '.log')}`);
    if (first !== null) firsts.add(first);
  }
  return [...firsts].toSorted((a, b) => a - b);
}

/** Every entry in order. Throws Tampered at the first line or manifest that is not as it was written. */
export async function* readSegments(options: SegmentsOptions): AsyncGenerator<SegmentEntry> {
  let next = 0;
  const firsts = await firstsOf(options.reader);
  for (const [at, first] of firsts.entries()) {
    if (first !== next) {
      if (next < options.signed) options.missing.push(segmentPath(next));
      return;
    }
    const manifest = await readManifestOf(options, first);
    const bytes = await options.reader.read(segmentPath(first));
    if (bytes === null) {
      if (manifest === null) return;
      yield* prunedEntries(options, manifest);
      next = manifest.size;
    } else {
      const isLast = at === firsts.length - 1;
      // One that another follows has ended, and what the checkpoint covers of it was sealed.
      if (manifest === null && !isLast && firsts[at + 1]! <= options.signed) options.missing.push(manifestPath(first));
      next = yield* linesOf(options, first, Buffer.from(bytes), manifest, isLast);
    }
  }
}

/** The entries of one segment, which is there. */
export async function* readSegmentAlone(options: SegmentsOptions, first: number): AsyncGenerator<SegmentEntry> {
  const manifest = await readManifestOf(options, first);
  const bytes = await options.reader.read(segmentPath(first));
  if (bytes !== null) yield* linesOf(options, first, Buffer.from(bytes), manifest, true);
  else options.missing.push(segmentPath(first));
}

async function readManifestOf(
  { reader, signers, expectRoot, signedElsewhere }: SegmentsOptions,
  first: number,
): Promise<Manifest | null> {
  const file = manifestPath(first);
  const bytes = await reader.read(file);
  if (bytes === null) return null;
  const manifest = readManifest(Buffer.from(bytes).toString());
  if (manifest?.first !== first || !Buffer.from(writeBack(manifest)).equals(bytes))
    throw new Tampered({ file, index: first, what: 'is no manifest of this segment' });
  const checkpoint = readCheckpoint(Buffer.from(manifest.checkpoint));
  if (checkpoint === null || !isTrusted(checkpoint.note, checkpoint.size, signers))
    throw new Tampered({ file, index: first, what: 'its checkpoint is not signed by the log' });
  if (checkpoint.size < manifest.size)
    throw new Tampered({ file, index: first, what: `its checkpoint covers ${checkpoint.size} entries only` });
  expectRoot(manifest.size, manifest.root, file);
  expectRoot(checkpoint.size, base64(checkpoint.root), file);
  signedElsewhere(checkpoint.size, file);
  return manifest;
}

function writeBack(manifest: Manifest): string {
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

async function* linesOf(
  { reader, signed, missing }: SegmentsOptions,
  first: number,
  bytes: Buffer,
  manifest: Manifest | null,
  isLast: boolean,
): AsyncGenerator<SegmentEntry, number> {
  const file = segmentPath(first);
  let index = first;
  for (let at = 0; at < bytes.length;) {
    const line = readLine(bytes, at);
    if (line === null) {
      const torn = manifest === null && isLast && index >= signed && isTorn(bytes, at);
      if (!torn) throw await badLine(reader, file, index, bytes, at);
      missing.push(`${file}: byte ${at}: torn`);
      return index;
    }
    yield { index, entry: line.entry, leaf: leafHash(line.entry), file };
    index++;
    at = line.end;
  }
  if (manifest !== null) holdManifest(manifest, file, index, bytes);
  return index;
}

function holdManifest(manifest: Manifest, file: string, end: number, bytes: Buffer): void {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  if (manifest.size !== end || manifest.bytes !== bytes.length)
    throw new Tampered({
      file,
      index: Math.min(manifest.size, end),
      what: `${end - manifest.first} records in ${bytes.length} bytes, sealed were ${manifest.size - manifest.first} in ${manifest.bytes}`,
    });
  if (manifest.sha256 !== sha256)
    throw new Tampered({
      file: manifestPath(manifest.first),
      index: manifest.first,
      what: 'its SHA-256 is not that of the segment',
      expected: manifest.sha256,
      actual: sha256,
    });
}

async function badLine(reader: Reader, file: string, index: number, bytes: Buffer, at: number): Promise<Tampered> {
  const newline = bytes.indexOf(0x0a, at);
  const line = bytes.subarray(at, newline < 0 ? bytes.length : newline);
  const json = line.subarray(Math.max(0, line.indexOf('{')));
  const hashes = await tileWith(reader, index);
  const expected = hashes?.[index % TILE_WIDTH];
  return new Tampered({
    file,
    index,
    what: `byte ${at}: the line is not as it was written`,
    expected: expected === undefined ? '' : base64(expected),
    actual: base64(leafHash(json)),
  });
}

/** The tile of level 0 that holds this entry's hash, full or the widest there is. */
async function tileWith(reader: Reader, index: number): Promise<readonly Uint8Array[] | null> {
  const path = tilePath({ level: 0, index: Math.floor(index / TILE_WIDTH), width: TILE_WIDTH });
  let bytes = await reader.read(path);
  if (bytes === null) {
    const widths = (await reader.names(`${path}.p`)).map(Number).filter(Number.isInteger);
    if (widths.length > 0) bytes = await reader.read(`${path}.p/${Math.max(...widths)}`);
  }
  return bytes === null ? null : tileHashes(bytes);
}

/** Of a pruned segment the hashes are left, in the tiles. */
async function* prunedEntries({ reader, missing }: SegmentsOptions, manifest: Manifest): AsyncGenerator<SegmentEntry> {
  const file = segmentPath(manifest.first);
  missing.push(file);
  for (let index = manifest.first; index < manifest.size;) {
    const hashes = await tileWith(reader, index);
    if (hashes === null || hashes.length <= index % TILE_WIDTH) return;
    for (let at = index % TILE_WIDTH; at < hashes.length && index < manifest.size; at++, index++)
      yield { index, entry: null, leaf: Buffer.from(hashes[at]!.subarray(0, HASH_BYTES)), file };
  }
}
