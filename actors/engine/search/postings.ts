/**
 * A block of postings: in which of 2,048 consecutive documents a word occurs, and how often. Four bytes of head (how many, and the last
 * place), then for each document the distance from the one before, doubled, odd where the number of occurrences follows; both as varints.
 * Most take one byte.
 */
export const BLOCK_BITS = 11;
export const BLOCK_DOCS = 1 << BLOCK_BITS;
const HEAD_BYTES = 4;
const OCCURRENCES_MAX = 0xffff;

/** Decoded postings; reused, since a search decodes thousands of blocks. */
export class Postings {
  length = 0;
  readonly places = new Uint16Array(BLOCK_DOCS);
  readonly occurrences = new Uint16Array(BLOCK_DOCS);

  /** Reads a block. One that is damaged gives places of this block all the same, and ends. */
  read(block: Uint8Array): this {
    const count = Math.min(countIn(block), BLOCK_DOCS);
    const { places, occurrences } = this;
    let at = HEAD_BYTES;
    let place = -1;
    let read = 0;
    while (read < count && at < block.length) {
      let coded = block[at++]!;
      if (coded > 0x7f) coded = (coded & 0x7f) | ((block[at++] ?? 0) << 7);
      place += (coded >> 1) + 1;
      let times = 1;
      if ((coded & 1) === 1) {
        times = block[at++] ?? 0;
        if (times > 0x7f) times = (times & 0x7f) | ((block[at++] ?? 0) << 7);
        if (times > 0x3fff) times = (times & 0x3fff) | ((block[at++] ?? 0) << 14);
      }
      if (place >= BLOCK_DOCS) break;
      places[read] = place;
      occurrences[read++] = times;
    }
    this.length = read;
    return this;
  }
}

/** How many documents a block names. */
export function countIn(block: Uint8Array): number {
  return block.length < HEAD_BYTES ? 0 : block[0]! | (block[1]! << 8);
}

const scratch = new Postings();

/** The block with a posting more, or with another number of occurrences; a new array. */
export function withPosting(block: Uint8Array | undefined, place: number, times: number): Uint8Array {
  const last = block === undefined || countIn(block) === 0 ? -1 : block[2]! | (block[3]! << 8);
  if (place > last) return appended(block, last, place, Math.min(times, OCCURRENCES_MAX));
  return rebuilt(block!, place, Math.min(times, OCCURRENCES_MAX));
}

/** The block without a posting; null where none is left. */
export function withoutPosting(block: Uint8Array, place: number): Uint8Array | null {
  const out = rebuilt(block, place, 0);
  return countIn(out) === 0 ? null : out;
}

/** New documents come last: the block is copied, and not decoded. */
function appended(block: Uint8Array | undefined, last: number, place: number, times: number): Uint8Array {
  const before = block === undefined || last < 0 ? HEAD_BYTES : block.length;
  const out = new Uint8Array(before + sizeOf(place - last - 1, times));
  if (last >= 0) out.set(block!);
  write(out, before, place - last - 1, times);
  return headed(out, (last < 0 ? 0 : countIn(block!)) + 1, place);
}

/** Decodes and encodes anew; `times` 0 leaves the place out. */
function rebuilt(block: Uint8Array, place: number, times: number): Uint8Array {
  const { length, places, occurrences } = scratch.read(block);
  const kept: [place: number, times: number][] = [];
  for (let i = 0; i < length; i++) if (places[i] !== place) kept.push([places[i]!, occurrences[i]!]);
  if (times > 0) {
    const behind = kept.findIndex(([other]) => other > place);
    kept.splice(behind < 0 ? kept.length : behind, 0, [place, times]);
  }
  let size = HEAD_BYTES;
  let last = -1;
  for (const [at, count] of kept) {
    size += sizeOf(at - last - 1, count);
    last = at;
  }
  const out = new Uint8Array(size);
  let to = HEAD_BYTES;
  last = -1;
  for (const [at, count] of kept) {
    to = write(out, to, at - last - 1, count);
    last = at;
  }
  return headed(out, kept.length, Math.max(last, 0));
}

function headed(out: Uint8Array, count: number, last: number): Uint8Array {
  out[0] = count & 0xff;
  out[1] = count >> 8;
  out[2] = last & 0xff;
  out[3] = last >> 8;
  return out;
}

function sizeOf(distance: number, times: number): number {
  const coded = distance > 0x3f ? 2 : 1;
  if (times === 1) return coded;
  return coded + (times > 0x3fff ? 3 : times > 0x7f ? 2 : 1);
}

function write(out: Uint8Array, at: number, distance: number, times: number): number {
  const to = varint(out, at, (distance << 1) | Number(times !== 1));
  return times === 1 ? to : varint(out, to, times);
}

function varint(out: Uint8Array, at: number, value: number): number {
  let left = value;
  let to = at;
  while (left > 0x7f) {
    out[to++] = (left & 0x7f) | 0x80;
    left >>= 7;
  }
  out[to++] = left;
  return to;
}
