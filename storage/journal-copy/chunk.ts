/**
 * A chunk of the journal's copy: what all journals of a node gained in a moment. Chunks are numbered without a gap, and each says what could
 * not be copied before it, so that a reader knows whether it has everything.
 *
 *     "skep journal chunk\n"   length of the head (u32 LE)   head (JSON)   the pieces' records, deflated, then encrypted   SHA-256 of all before it
 *
 * The head is not encrypted: a copier has no identity and must know how far it was.
 */
import { hash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { encrypterFor, type Decrypt, type PartEncryption } from '#storage/backup-set/encryption.ts';
import { CHUNK_NAME } from '#storage/backup-set/place.ts';
import { BackupFault } from '#storage/backup/format.ts';
import { recordAt, RECORD_HEAD_BYTES, type JournalRecord } from '#storage/journal/record.ts';
import type { Gap, Piece } from './tail.ts';

/** Raised when an older reader would misread what is written now. */
const CHUNK_FORMAT = 1;
const MAGIC = Buffer.from('skep journal chunk\n', 'latin1');
const DIGEST_BYTES = 32;
/** Fast: a copier must keep up with the journal. */
const DEFLATE = { level: 1 } as const;

export interface PieceHead extends Omit<Piece, 'bytes'> {
  readonly bytes: number;
}

/** How far the copy is in one journal. */
export interface Position {
  readonly journal: string;
  /** The number of the record that comes next. */
  readonly next: number;
}

export interface ChunkHead {
  readonly format: number;
  /** From 1, without a gap. */
  readonly seq: number;
  /** Everything in it was durable by then, and nothing of it was in an earlier chunk; milliseconds since the epoch. */
  readonly moment: number;
  /** Whether everything that was durable when it was begun is in it or in an earlier one: only then does the copy show a moment. */
  readonly complete: boolean;
  readonly pieces: readonly PieceHead[];
  /** Records that were lost to the copy before this chunk. */
  readonly gaps: readonly Gap[];
  /** Journals that have not ended, after this chunk. */
  readonly positions: readonly Position[];
  /** The epoch up to which every journal was found, or given up; those found above it; the last one that was given when the copy was begun. */
  readonly epoch: number;
  readonly seen: readonly number[];
  readonly first: number;
  /** Whether the records are encrypted. */
  readonly sealed: boolean;
}

export interface Chunk {
  readonly head: ChunkHead;
  /** Records of the pieces, one piece after the other, as they lie in the chunk. */
  readonly packed: Buffer;
}

export async function encodeChunk(
  head: Omit<ChunkHead, 'format' | 'pieces' | 'sealed'>,
  pieces: readonly Piece[],
  encryption: PartEncryption | null,
): Promise<Buffer> {
  const heads = pieces.map((piece): PieceHead => ({ ...piece, bytes: piece.bytes.length }));
  const json = Buffer.from(
    JSON.stringify({ format: CHUNK_FORMAT, ...head, sealed: encryption !== null, pieces: heads }),
  );
  const length = Buffer.alloc(4);
  length.writeUInt32LE(json.length);
  const records = deflateRawSync(Buffer.concat(pieces.map(({ bytes }) => bytes)), DEFLATE);
  const packed = encryption === null ? records : await (await encrypterFor(encryption)).encrypt(records);
  const body = Buffer.concat([MAGIC, length, json, packed]);
  return Buffer.concat([body, hash('sha256', body, 'buffer')]);
}

/** Throws BackupFault where a byte is not as it was written, or the format is a later one. `name` is how messages name the chunk. */
export function decodeChunk(bytes: Buffer, name: string): Chunk {
  const end = bytes.length - DIGEST_BYTES;
  const headAt = MAGIC.length + 4;
  const fits = end >= headAt && hash('sha256', bytes.subarray(0, end), 'buffer').equals(bytes.subarray(end));
  if (!fits || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) throw altered(name);
  const recordsAt = headAt + bytes.readUInt32LE(MAGIC.length);
  const head = JSON.parse(bytes.toString('utf8', headAt, recordsAt)) as ChunkHead;
  if (head.format !== CHUNK_FORMAT)
    throw new BackupFault(
      name,
      `has format ${head.format}; this program reads format ${CHUNK_FORMAT}: use a newer Skep`,
    );
  return { head, packed: bytes.subarray(recordsAt, end) };
}

/** The records as they were in the journals. `decrypt`: null where no identity was given. */
async function unpack({ head, packed }: Chunk, name: string, decrypt: Decrypt | null): Promise<Buffer> {
  if (head.sealed && decrypt === null)
    throw new BackupFault(name, 'is encrypted: name the file with the identity of its recipient (--identity)');
  const pieces: Uint8Array[] = [];
  if (head.sealed) for await (const piece of decrypt!(one(packed), name)) pieces.push(piece);
  const size = head.pieces.reduce((sum, piece) => sum + piece.bytes, 0);
  const deflated = head.sealed ? Buffer.concat(pieces) : packed;
  const records = inflateRawSync(deflated, { maxOutputLength: Math.max(1, size) });
  if (records.length !== size) throw altered(name);
  return records;
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes);
}

const altered = (name: string): BackupFault =>
  new BackupFault(name, 'was altered: its bytes are not those that were written; restore to a moment before it');

/** The records of a chunk in order, each with its CRC checked. Throws BackupFault where one does not fit. */
export async function* chunkRecords(
  chunk: Chunk,
  name: string,
  decrypt: Decrypt | null,
): AsyncGenerator<JournalRecord, void, undefined> {
  const records = await unpack(chunk, name, decrypt);
  let at = 0;
  for (const { epoch, seed, first, last } of chunk.head.pieces)
    for (let number = first; number <= last; number++) {
      const record = recordAt(records, at, { epoch, seed });
      if (record === null || record.number !== number) throw altered(name);
      at += RECORD_HEAD_BYTES + record.payload.length;
      yield record;
    }
}

/** Names sort by number: `0000000042-1764111600000`, the second number being the chunk's moment. */
export function chunkName({ seq, moment }: Pick<ChunkHead, 'seq' | 'moment'>): string {
  return `${String(seq).padStart(10, '0')}-${String(moment).padStart(13, '0')}`;
}

/** Number and moment out of a name; null for a name that is none of a chunk. */
export function readChunkName(
  name: string,
): { readonly name: string; readonly seq: number; readonly moment: number } | null {
  return CHUNK_NAME.test(name) ? { name, seq: Number(name.slice(0, 10)), moment: Number(name.slice(11)) } : null;
}

export type ChunkName = NonNullable<ReturnType<typeof readChunkName>>;
