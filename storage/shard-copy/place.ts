/**
 * Where copies of shards lie, whole or not at all: LMDB files, from which a node goes on in a log whose older entries are gone; and beside them those entries, where they are kept. `directory-place.ts` keeps them under a directory,
 * `s3-place.ts` in a bucket; both pass test/storage/shard-copy/place.cases.ts.
 */

/** What the name of a copy says of it. */
export interface CopyName {
  readonly shard: number;
  /** It has all entries of the shard's log up to this one. */
  readonly seq: number;
  /** Of that entry. */
  readonly chain: string;
  /** Milliseconds since 1970. */
  readonly madeMs: number;
  /** Of the file, hexadecimal. */
  readonly sha256: string;
}

export interface CopyPlace {
  /** How an error or a log line names the place. */
  readonly where: string;
  /** Stores a file under a name; all of it is durable when this resolves. */
  put(name: string, path: string): Promise<void>;
  /** Throws CopyMissing. */
  read(name: string): AsyncIterable<Uint8Array>;
  /** Names of the copies of a shard, oldest entries first. */
  list(shard: number): Promise<string[]>;
  /** Names of the pieces of a shard's log (piece-name.ts), oldest entries first. */
  pieces(shard: number): Promise<string[]>;
  /** Does nothing where there is none. */
  remove(name: string): Promise<void>;
}

export class CopyMissing extends Error {
  constructor(name: string) {
    super(`${name} is not there`);
  }
}

const NAME = /^(\d{1,5})\/(\d{16})-([0-9a-f]{32})-(\d{13})-([0-9a-f]{64})\.mdb$/;

/** Names of one shard sort by their entries. */
export function copyName({ shard, seq, chain, madeMs, sha256 }: CopyName): string {
  return `${shard}/${String(seq).padStart(16, '0')}-${chain}-${String(madeMs).padStart(13, '0')}-${sha256}.mdb`;
}

/** Null for what is no name of a copy. A name that was read is safe as a path. */
export function readCopyName(name: string): CopyName | null {
  const parts = NAME.exec(name);
  if (parts === null) return null;
  const [, shard, seq, chain, madeMs, sha256] = parts as unknown as string[];
  return { shard: Number(shard), seq: Number(seq), chain: chain!, madeMs: Number(madeMs), sha256: sha256! };
}
