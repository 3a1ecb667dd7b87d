/**
 * What a log holds when it is opened. Nothing is changed before everything was judged:
 *
 *   signed head (LMDB) ─ checkpoint file ─ manifests ─ unsealed segments ─ tree
 *      │ older than the checkpoint: rollback      │ bad line before a good one: damage
 *      │ beyond the records: rollback             │ bad tail: torn, may be cut
 *      └ another root than the records': fork
 */
import { createHash, type Hash } from 'node:crypto';
import { readBundle } from './bundle.ts';
import { readCheckpoint, type Checkpoint } from './checkpoint.ts';
import type { LogFiles } from './files.ts';
import { Growth } from './growth.ts';
import type { SignedHead } from './head-store.ts';
import { isTorn, readLine } from './line.ts';
import { manifestPath, readManifest, segmentFirst, segmentPath, type Manifest } from './manifest.ts';
import { isSignedBy, readNote, type Verifier, type VerifyBytes } from './note.ts';
import { readFringe, widestTile } from './read-fringe.ts';
import { LogRefused } from './refused.ts';
import { isSignedInSpan, KEYS_FILE, readSuccessions, spansOf, type KeySpan } from './succession.ts';
import { TILE_WIDTH } from './tile-path.ts';

/** A segment without a manifest. */
export interface OpenSegment {
  readonly first: number;
  size: number;
  bytes: number;
  readonly sha256: Hash;
  /** The root of the tree up to its end. */
  root: Uint8Array;
}

export interface TornTail {
  readonly path: string;
  readonly start: number;
  readonly bytes: Buffer;
}

export interface Recovered {
  readonly growth: Growth;
  readonly unsealed: readonly OpenSegment[];
  readonly torn: TornTail | null;
  /** The checkpoint file is not the note that was signed last: a crash came between. */
  readonly unpublished: boolean;
  /** What was signed last was signed by the key before the present one. */
  readonly unsigned: boolean;
}

export interface RecoverOptions {
  readonly files: LogFiles;
  readonly origin: string;
  readonly verifier: Verifier;
  readonly verify: VerifyBytes;
  readonly head: SignedHead | undefined;
  /** Each entry that no manifest covers, in order. */
  readonly each: (entry: Buffer, index: number) => void;
}

/** Judges and reads the log. Throws LogRefused; then not a byte was changed. */
export async function recover(options: RecoverOptions): Promise<Recovered> {
  const { files, head } = options;
  const spans = await spansIn(options);
  const checkpoint = await readPublished(options, spans);
  judgeState(checkpoint, head);
  const segments = await segmentsOf(files);
  const from = segments.findLast(({ manifest }) => manifest !== null)?.manifest!.size ?? 0;
  const signed = head?.size ?? 0;
  const kept = await growthAt(files, from);
  const growth = kept ?? (await rebuild(files, segments, from));
  if (head !== undefined && from === signed) judgeRoot(growth, head);
  if (from > signed) throw new LogRefused('rollback', `sealed up to ${from}, but only ${signed} entries were signed`);
  const unsealed: OpenSegment[] = [];
  let torn: TornTail | null = null;
  for (const { first, manifest } of segments) {
    if (manifest !== null) continue;
    if (torn !== null || first !== growth.size)
      throw new LogRefused('damage', `${segmentPath(first)} does not begin at ${growth.size}`);
    const segment: OpenSegment = { first, size: first, bytes: 0, sha256: createHash('sha256'), root: growth.root() };
    torn = await replay(options, segment, growth, kept !== null);
    unsealed.push(segment);
  }
  if (growth.size < signed) throw new LogRefused('rollback', `${growth.size} records, but ${signed} were signed`);
  const unsigned = head !== undefined && !isByPresentKey(options, head.note);
  return { growth, unsealed, torn, unpublished: head !== undefined && checkpoint?.size !== head.size, unsigned };
}

function isByPresentKey({ verifier, verify }: RecoverOptions, text: string): boolean {
  const note = readNote(Buffer.from(text));
  return note !== null && isSignedBy(note, verifier, verify);
}

/** The keys of the log, each as long as it counts. The one in hand must be the last of them: it would sign what verifiers refuse. */
async function spansIn({ files, origin, verifier, verify }: RecoverOptions): Promise<readonly KeySpan[]> {
  const bytes = await files.read(KEYS_FILE);
  if (bytes === null) return spansOf([], verifier.publicKey);
  const chain = readSuccessions(bytes, origin, verify);
  if (chain === null) throw new LogRefused('damage', `${KEYS_FILE} is no chain of keys of this log`);
  const last = chain.at(-1)!.next;
  if (!isByKey(last, verifier))
    throw new LogRefused(
      'damage',
      `${KEYS_FILE} names another key than the one in hand: skep audit key rotate goes on`,
    );
  return spansOf(chain, verifier.publicKey);
}

const isByKey = (a: Verifier, b: Verifier): boolean => Buffer.compare(a.publicKey, b.publicKey) === 0;

async function readPublished(
  { files, origin, verifier, verify }: RecoverOptions,
  spans: readonly KeySpan[],
): Promise<Checkpoint | null> {
  const bytes = await files.read('checkpoint');
  if (bytes === null) return null;
  const checkpoint = readCheckpoint(bytes);
  if (checkpoint?.origin !== origin || !isSignedInSpan(checkpoint.note, checkpoint.size, spans, verifier.name, verify))
    throw new LogRefused('damage', 'the checkpoint is not signed by this log');
  return checkpoint;
}

/** What was published was signed before: a signed head that is older was brought back from a copy. */
function judgeState(checkpoint: Checkpoint | null, head: SignedHead | undefined): void {
  if (checkpoint === null || checkpoint.size < (head?.size ?? 0)) return;
  const signed = head?.size ?? 0;
  if (checkpoint.size > signed)
    throw new LogRefused('rollback', `the checkpoint has ${checkpoint.size} entries, the state knows of ${signed}`);
  if (Buffer.from(checkpoint.root).toString('base64') !== head?.root)
    throw new LogRefused('fork', `two roots were signed at size ${signed}`);
}

function judgeRoot(growth: Growth, head: SignedHead): void {
  const root = Buffer.from(growth.root()).toString('base64');
  if (root !== head.root)
    throw new LogRefused('fork', `the records up to ${head.size} have root ${root}, signed was ${head.root}`);
}

interface Segment {
  readonly first: number;
  readonly manifest: Manifest | null;
}

async function segmentsOf(files: LogFiles): Promise<Segment[]> {
  const names = (await files.names('segments')).toSorted();
  const firsts = new Set<number>();
  for (const name of names) {
    const first = segmentFirst(`segments/${name.replace(/\.json$/, '.log')}`);
    if (first !== null) firsts.add(first);
  }
  return Promise.all([...firsts].toSorted((a, b) => a - b).map((first) => segmentAt(files, first)));
}

async function segmentAt(files: LogFiles, first: number): Promise<Segment> {
  const bytes = await files.read(manifestPath(first));
  if (bytes === null) return { first, manifest: null };
  const manifest = readManifest(bytes.toString());
  if (manifest?.first !== first) throw new LogRefused('damage', `${manifestPath(first)} is no manifest of its segment`);
  return { first, manifest };
}

/** The tree of `size` entries out of its tiles; null when they are not all there. */
async function growthAt(files: LogFiles, size: number): Promise<Growth | null> {
  const fringe = await readFringe(files, size);
  if (fringe === null) return null;
  const width = size % TILE_WIDTH;
  const bundle = width === 0 ? [] : await readEntries(files, size, width);
  return bundle === null ? null : new Growth(fringe, bundle);
}

async function readEntries(files: LogFiles, size: number, width: number): Promise<Uint8Array[] | null> {
  const bytes = await widestTile(files, 'entries', Math.floor(size / TILE_WIDTH), width);
  const entries = bytes === null ? null : readBundle(bytes);
  return entries === null || entries.length < width ? null : entries.slice(0, width);
}

/** Tiles are missing: the tree is made again from the records, which outrank them. */
async function rebuild(files: LogFiles, segments: readonly Segment[], to: number): Promise<Growth> {
  const growth = new Growth();
  for (const { first, manifest } of segments) {
    if (manifest === null) continue;
    const path = segmentPath(first);
    const bytes = await files.read(path);
    if (bytes === null || first !== growth.size) throw new LogRefused('damage', `${path} is missing, and so are tiles`);
    for (let at = 0; at < bytes.length;) {
      const line = readLine(bytes, at);
      if (line === null) throw new LogRefused('damage', `${path}: byte ${at}: no line`);
      growth.add(line.entry);
      at = line.end;
    }
  }
  if (growth.size !== to) throw new LogRefused('damage', `${growth.size} sealed records where ${to} should be`);
  return growth;
}

/** Reads an unsealed segment into the tree; gives its torn tail. */
async function replay(
  options: RecoverOptions,
  segment: OpenSegment,
  growth: Growth,
  hasTiles: boolean,
): Promise<TornTail | null> {
  const { files, head, each } = options;
  const path = segmentPath(segment.first);
  const bytes = (await files.read(path)) ?? Buffer.alloc(0);
  let torn: TornTail | null = null;
  while (segment.bytes < bytes.length) {
    const line = readLine(bytes, segment.bytes);
    if (line === null) {
      if (!isTorn(bytes, segment.bytes))
        throw new LogRefused(
          'damage',
          `${path}: byte ${segment.bytes} (record ${segment.size}): a bad line before a good one`,
        );
      torn = { path, start: segment.bytes, bytes: bytes.subarray(segment.bytes) };
      break;
    }
    growth.add(line.entry);
    each(line.entry, segment.size);
    segment.size++;
    segment.bytes = line.end;
    if (growth.size !== head?.size) continue;
    judgeRoot(growth, head);
    if (hasTiles) growth.settle(); // tiles were on the disk before their checkpoint was signed
  }
  segment.sha256.update(bytes.subarray(0, segment.bytes));
  segment.root = growth.root();
  return torn;
}
