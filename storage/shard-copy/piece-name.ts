/** Names of pieces of a log: entries of one shard that were let go, kept in the place of its copies (`../log-history/`). */

/** What the name of a piece says of it. */
export interface PieceName {
  readonly shard: number;
  /** Positions of its first and its last entry. */
  readonly from: number;
  readonly to: number;
  /** Of the last entry. */
  readonly chain: string;
  /** The instants of its first and its last entry, milliseconds since 1970. */
  readonly firstMs: number;
  readonly lastMs: number;
  /** Of the file, hexadecimal. */
  readonly sha256: string;
}

const NAME = /^history\/(\d{1,5})\/(\d{16})-(\d{16})-([0-9a-f]{32})-(\d{13})-(\d{13})-([0-9a-f]{64})\.log$/;

/** What the names of all pieces of a shard begin with: no copy has such a name, so that either is listed without the other. */
export const piecesOf = (shard: number): string => `history/${shard}`;

const padded = (number: number, digits: number): string => String(number).padStart(digits, '0');

/** Names of one shard sort by their entries. */
export function pieceName({ shard, from, to, chain, firstMs, lastMs, sha256 }: PieceName): string {
  const places = `${padded(from, 16)}-${padded(to, 16)}-${chain}`;
  return `${piecesOf(shard)}/${places}-${padded(firstMs, 13)}-${padded(lastMs, 13)}-${sha256}.log`;
}

/** Null for what is no name of a piece. A name that was read is safe as a path. */
export function readPieceName(name: string): PieceName | null {
  const parts = NAME.exec(name);
  if (parts === null) return null;
  const [, shard, from, to, chain, firstMs, lastMs, sha256] = parts as unknown as string[];
  return {
    shard: Number(shard),
    from: Number(from),
    to: Number(to),
    chain: chain!,
    firstMs: Number(firstMs),
    lastMs: Number(lastMs),
    sha256: sha256!,
  };
}
