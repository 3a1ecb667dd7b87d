/** Unexpected states of the archive, by name. The floors above decide how to answer the caller. */

type FullWhy = 'overlay' | 'disk' | 'log';

const FULL: Readonly<Record<FullWhy, string>> = {
  overlay: 'too many writes wait for LMDB',
  disk: 'free space is below the watermark',
  log: 'too many writes wait for the log',
};

/** A bound is reached: the overlay's (LMDB is behind), the free-space watermark's, or that of a log elsewhere. Nothing was staged; try again later. */
export class StorageFull extends Error {
  readonly why: FullWhy;

  constructor(why: FullWhy) {
    super(FULL[why]);
    this.why = why;
  }
}

/** Bytes on the disk are not what was written: a CRC or a sequence does not fit. */
export class Corruption extends Error {
  readonly where: string;
  /** What is wrong there; the message has both. */
  readonly what: string;

  constructor(where: string, what: string) {
    super(`${where}: ${what}`);
    this.where = where;
    this.what = what;
  }
}

/** LMDB's pages do not fit together, or reading them ended the process. Which rows lie in them is not known. */
export class PageDamage extends Corruption {}

/** What a record gives, or undefined where the record is damaged: for callers that can do without it. Damaged pages are more than one record, and thrown. */
export function unlessDamaged<T>(find: () => T): T | undefined {
  try {
    return find();
  } catch (error) {
    if (error instanceof Corruption && !(error instanceof PageDamage)) return undefined;
    throw error;
  }
}

/** What LMDB answers over pages that are not what it wrote; a full map or a full reader table is none of these. */
const PAGE_ERRORS =
  /^MDB_(?:BAD_DBI|BAD_TXN|BAD_VALSIZE|CORRUPTED|CURSOR_FULL|INCOMPATIBLE|INVALID|PAGE_FULL|PAGE_NOTFOUND|PANIC|PROBLEM|VERSION_MISMATCH)\b/;

/** Whether an error, or the cause of one, says that pages of an LMDB file are damaged. */
export function isPageDamage(error: unknown): boolean {
  if (error instanceof PageDamage) return true;
  return error instanceof Error && (PAGE_ERRORS.test(error.message) || isPageDamage(error.cause));
}

/** A record of a shape that only newer code knows. */
export class NewerRecord extends Corruption {
  constructor(where: string, found: number, known: number) {
    super(
      where,
      `the record has version ${found}, this skep knows versions up to ${known}: start the newer skep that wrote it`,
    );
  }
}

/** The shard is not served: a damaged journal had records of it that were acknowledged. */
export class ShardStopped extends Error {
  readonly shard: number;

  constructor(shard: number, why: string) {
    super(`shard ${shard} is not served: ${why}`);
    this.shard = shard;
  }
}

/** The store is on its way out: its tenant is being deleted or moved. */
export class StoreRetired extends Error {
  constructor() {
    super('the store takes no writes any more: its tenant is being deleted or moved');
  }
}

/** Whether what waits for LMDB or for the log will drain; a full disk does not mend itself by waiting. */
export function isFull(error: unknown): boolean {
  return error instanceof StorageFull && error.why !== 'disk';
}

/** Whether the error says that the disk, or what its owner may take of it, is full. */
export function hasNoRoom(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return code === 'ENOSPC' || code === 'EDQUOT';
}
