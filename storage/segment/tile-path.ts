/** Where tiles and entry bundles lie. Source: C2SP tlog-tiles, "Merkle Tree" and "Log entries". */

/** Hashes in a full tile, and entries in a full bundle. */
export const TILE_WIDTH = 256;

/** `entries` stands for the bundles of entries beside the levels of hashes. */
export type TileLevel = number | 'entries';

export interface TilePlace {
  readonly level: TileLevel;
  /** Number of the tile within its level. */
  readonly index: number;
  /** Hashes or entries in it: 256 when it is full. */
  readonly width: number;
}

const LEVEL_MAX = 63;
const DIGITS = 3;

/** `tile/0/x001/234`, with `.p/<width>` behind it for one that is not full. */
export function tilePath({ level, index, width }: TilePlace): string {
  const path = `tile/${level}/${indexPath(index)}`;
  return width === TILE_WIDTH ? path : `${path}.p/${width}`;
}

/** Groups of three digits, all but the last with an `x` before them. */
function indexPath(index: number): string {
  let path = String(index % 1000).padStart(DIGITS, '0');
  for (let rest = Math.floor(index / 1000); rest > 0; rest = Math.floor(rest / 1000))
    path = `x${String(rest % 1000).padStart(DIGITS, '0')}/${path}`;
  return path;
}

const PATH = /^tile\/(entries|0|[1-9]\d?)\/((?:x\d{3}\/)*)(\d{3})(?:\.p\/([1-9]\d{0,2}))?$/;

/** The tile of a path as `tilePath` writes it, or null. */
export function parseTilePath(path: string): TilePlace | null {
  const match = PATH.exec(path);
  if (match === null) return null;
  const [, level, high, low, partial] = match;
  const place: TilePlace = {
    level: level === 'entries' ? level : Number(level),
    index: Number(`${high!.replaceAll(/\D/g, '')}${low}`),
    width: partial === undefined ? TILE_WIDTH : Number(partial),
  };
  const fits = Number.isSafeInteger(place.index) && (place.level === 'entries' || place.level <= LEVEL_MAX);
  return fits && tilePath(place) === path ? place : null;
}

/** The widest that a tile is in a tree of `size` entries; 0 when the tree does not reach it. */
export function tileWidth({ level, index }: Pick<TilePlace, 'level' | 'index'>, size: number): number {
  const hashes = level === 'entries' ? size : Math.floor(size / TILE_WIDTH ** level);
  return Math.max(0, Math.min(TILE_WIDTH, hashes - index * TILE_WIDTH));
}
