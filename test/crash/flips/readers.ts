/**
 * How each kind of file is read where damage must be noticed, and ranges of bytes in which a change cannot be noticed, by name, with the reason. Kinds are
 * those of the fault matrix.
 */
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parseNote } from '#actors/content/asset/note-file.ts';
import { parseUploadNote } from '#actors/content/upload/upload-note.ts';
import { PersonalData } from '#actors/audit/personal.ts';
import { scrubContent } from '#runtime/scrub/files.ts';
import { keyFiles } from '#runtime/threads/key-files.ts';
import { Revisions } from '#runtime/revisions.ts';
import { readApplied } from '#storage/applied.ts';
import { readManifest } from '#storage/backup-set/manifest.ts';
import { DirectoryPlace } from '#storage/backup-set/directory-place.ts';
import { readPart } from '#storage/backup-set/read-part.ts';
import { DirectoryBlobs } from '#storage/blob/directory.ts';
import { readFormat, refuseNewerFormat } from '#storage/format.ts';
import { findShards, withShard } from '#storage/inspect.ts';
import { decodeChunk } from '#storage/journal-copy/chunk.ts';
import { carriedBy, lastEpoch } from '#storage/journal/directories.ts';
import { endOf } from '#storage/journal/kept.ts';
import { readFollowed, readMark } from '#storage/journal/mark.ts';
import { readJournal } from '#storage/journal/replay.ts';
import { openFiles } from '#storage/segment/files.ts';
import { readOutsideMark } from '#storage/outside-mark.ts';
import { readSlots } from '#storage/slot-file.ts';
import { openFileVault } from '#storage/vault/file.ts';

export interface Blind {
  readonly name: string;
  readonly why: string;
  /** Whether it has the byte at a place. */
  readonly has: (at: number, bytes: Buffer) => boolean;
}

export interface FlipReader {
  /** What it says of the file; throws where it notices damage. */
  readonly read: (path: string) => Promise<string> | string;
  /** How what it says may differ from what it said before, where that is no wrong answer. */
  readonly mayBe?: (now: string, before: string) => boolean;
  readonly blind: readonly Blind[];
}

const pace = { rest: () => Promise.resolve() };
const fail = (what: string): never => {
  throw new Error(what);
};

async function blobs(root: string): Promise<string> {
  const found: string[] = [];
  const note = (sha256: string, what: string): void => void found.push(`${sha256}: ${what}`);
  await scrubContent('any', new DirectoryBlobs(root), { pace, looked: () => undefined, found: note } as never);
  return found.length > 0 ? fail(found.join(', ')) : 'whole';
}

/** A journal's records; a tail that is cut counts as noticed. */
function journal(path: string): string {
  const records = [...readJournal(dirname(path), ({ at }) => fail(`cut at ${at}`))];
  return records.map(({ number }) => number).join();
}

/** As an archive does at its opening, which takes no epoch that a shard has seen (storage/archive.ts). */
async function epoch(dataDir: string): Promise<string> {
  const last = lastEpoch(dataDir);
  for (const no of findShards(dataDir)) {
    const seen = await withShard(dataDir, no, (environment) => readApplied(environment).epoch);
    if (seen > last) fail(`shard ${no} has seen ${seen}`);
  }
  return String(last);
}

/** The lines of a day as records find them; those that are not whole are reported. */
async function personalValues(path: string): Promise<string> {
  const onDamaged = (file: string, lines: number): never => fail(`${lines} lines of ${file} are damaged`);
  const files = openFiles(join(dirname(path), '..'));
  const values = new PersonalData({ files, clock: { now: () => 0 }, random: () => fail('it writes'), onDamaged });
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  const wanted = new Map(lines.map((line) => [line.slice(0, 64), Date.parse(basename(path, '.jsonl'))]));
  return JSON.stringify([...(await values.find(wanted))]);
}

/** Either says less where it is damaged, which is always right: any shard, and no known end. */
const journalNotes: FlipReader = {
  read: (path) =>
    basename(path) === 'shards'
      ? JSON.stringify([...(carriedBy(dirname(path)) ?? [])])
      : JSON.stringify(endOf(dirname(path))),
  mayBe: (now) => now === '[]' || now === '{"last":null}',
  blind: [],
};

const HEAD_SUMMED = 26;
const HEAD_BYTES = 512;
const MARK_SUMMED = 28;
const SLOT_BYTES = 16;
const SLOT_SUMMED = 12;

/** The slot with the lower number. */
function isOlderSlot(at: number, bytes: Buffer): boolean {
  const own = Math.floor(at / SLOT_BYTES);
  const valueOf = (slot: number): bigint =>
    bytes.length >= (slot + 1) * SLOT_BYTES ? bytes.readBigUInt64BE(slot * SLOT_BYTES) : 0n;
  return valueOf(own) <= valueOf(1 - own);
}

const slots: FlipReader = {
  read: (path) => String(readSlots(path)),
  // It says less then, and never more: the floor is lower.
  mayBe: (now, before) => Number(now) < Number(before),
  blind: [
    { name: 'padding of a slot', why: 'nothing reads it', has: (at) => at % SLOT_BYTES >= SLOT_SUMMED },
    { name: 'the older slot', why: 'the newer one counts; its own CRC is read at each opening', has: isOlderSlot },
  ],
};

/** The part of a file that is behind its last byte other than zero. */
const isEmptyRoom = (at: number, bytes: Buffer): boolean => bytes.subarray(at).every((byte) => byte === 0);

export const FLIP_READERS: Readonly<Record<string, FlipReader>> = {
  'journal segment': {
    read: journal,
    blind: [
      { name: 'padding of the head', why: 'nothing reads it', has: (at) => at >= HEAD_SUMMED && at < HEAD_BYTES },
      { name: 'room for records', why: 'nothing was written there yet', has: isEmptyRoom },
    ],
  },
  'journal mark': {
    read: (path) => `${readMark(dirname(path))} ${readFollowed(dirname(path))}`,
    // A torn mark says nothing: it is 0.
    mayBe: (now, before) => now.split(' ').every((word, no) => word === '0' || word === before.split(' ')[no]),
    blind: [{ name: 'padding of the mark', why: 'nothing reads it', has: (at) => at >= MARK_SUMMED }],
  },
  clock: slots,
  'vault mark': slots,
  format: {
    read: (path) => {
      refuseNewerFormat(dirname(path));
      return String(readFormat(dirname(path))!.format);
    },
    blind: [
      {
        name: 'the version of Skep, and those of records',
        why: 'the file has no check sum, since older releases read it; the next start writes both again as they must be',
        has: (at, bytes) => at >= bytes.indexOf('"skep":"') + '"skep":"'.length,
      },
    ],
  },
  epoch: {
    read: (path) => epoch(dirname(path)),
    // Epochs only have to rise: a higher one leaves some out.
    mayBe: (now, before) => Number(now) > Number(before),
    blind: [],
  },
  'outside mark': { read: (path) => JSON.stringify(readOutsideMark(path)), blind: [] },
  blob: { read: (path) => blobs(join(dirname(path), '..')), blind: [] },
  asset: { read: (path) => blobs(join(dirname(path), '..')), blind: [] },
  revision: {
    read: async (path) => String((await new Revisions(join(dirname(path), '..', '..')).read(basename(path))).length),
    blind: [],
  },
  'vault file': {
    read: async (path) => {
      const store = await openFileVault(path, { onFatal: () => undefined });
      const listed = await store.list('', null, 1000);
      await store.close();
      return JSON.stringify(listed);
    },
    blind: [],
  },
  'backup set': {
    read: (path) => JSON.stringify(readManifest(readFileSync(path, 'utf8'), basename(path, '.json'), 'here')),
    blind: [],
  },
  'backup part': {
    read: async (path) => {
      const from = { place: new DirectoryPlace(join(dirname(path), '..', '..')), encryption: null, decrypt: null };
      const part = { sha256: basename(path), bytes: readFileSync(path).length };
      let bytes = 0;
      for await (const piece of readPart(from, part, 'a part')) bytes += piece.length;
      return String(bytes);
    },
    blind: [],
  },
  'partial note': {
    read: (path) => JSON.stringify(parseUploadNote(readFileSync(path, 'utf8')) ?? fail('damaged')),
    blind: [],
  },
  'asset note': {
    read: (path) => JSON.stringify(parseNote(readFileSync(path, 'utf8'), basename(path, '.json')) ?? fail('damaged')),
    blind: [],
  },
  'journal shards': journalNotes,
  'kept journal': journalNotes,
  'audit key': {
    read: async (path) => {
      const key = await keyFiles(dirname(path)).signingKey(basename(path, '.pem'));
      return key.export({ format: 'pem', type: 'pkcs8' }).toString();
    },
    blind: [],
  },
  'audit personal values': { read: personalValues, blind: [] },
  'journal copy': { read: (path) => JSON.stringify(decodeChunk(readFileSync(path), basename(path)).head), blind: [] },
};

/** Kinds whose bytes are not changed here, and why. */
const MADE_AGAIN = 'it is made again where it does not fit, or removed at the next start';
const LMDB =
  'pages of LMDB have no check sums: records in them do (test/storage/check.test.ts, test/scenario/damaged-rows.test.ts, test/scenario/damaged-pages.test.ts)';
const LOGS = 'each byte: test/storage/segment/verify/mutation.test.ts';
export const NOT_FLIPPED: Readonly<Record<string, string>> = {
  directory: 'it has no bytes of its own',
  'control socket': 'it has no bytes',
  'platform file': 'its operator writes it',
  lock: 'its bytes are for people: the lock is the kernel’s',
  ballast: 'its bytes mean nothing',
  'directory id': 'it is compared with the outside mark: test/storage/outside-mark.test.ts',
  shard: LMDB,
  'intake database': LMDB,
  'audit heads': LMDB,
  'vault store': LMDB,
  'made image': 'it has no check sum: it is made of a file again when it is removed',
  'partial upload': 'its bytes are checked when they are whole, where the caller sent a digest',
  'kept segment': 'it is a journal segment',
  'intake log': 'each byte of a line: test/storage/log/chain.test.ts',
  'audit segment': LOGS,
  'audit checkpoint': LOGS,
  'audit manifest': LOGS,
  'audit bundle': LOGS,
  'audit tile': LOGS,
  'audit public key': 'it is written anew from its key when it differs',
  'audit lock': 'its bytes are for people',
  'vault probe': MADE_AGAIN,
  'copy for a backup': MADE_AGAIN,
  'journal spare': MADE_AGAIN,
  'loaded revision': MADE_AGAIN,
  'blob upload': MADE_AGAIN,
  'asset upload': MADE_AGAIN,
  'revision upload': MADE_AGAIN,
  'backup on its way': MADE_AGAIN,
  'scrub notes': 'they say when a round ended, and nothing is decided by them alone',
};
