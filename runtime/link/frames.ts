/**
 * Frames on a link between two nodes: four bytes of length, big-endian, then one flat array in msgpack: a kind, and numbers, texts and bytes behind it. REQUESTS, REPLIES and STREAM are those that cross
 * threads (actors/protocol/frame.ts, stream.ts).
 */
import { Packr } from 'msgpackr';
import type { Flat } from '#actors/protocol/frame.ts';

/** What each side says first: a text of JSON (hello.ts). */
export const HELLO = 16;
/** In place of the second HELLO: this node does not serve, or not any more; with a text that says why. */
export const MOVED = 17;
/** Either side is there. */
export const PING = 18;

/** What came is no frame, or one that the other side may not send. */
export class LinkFault extends Error {}

const HEAD_BYTES = 4;

/** As in storage/record.ts: each frame stands for itself, and its bytes are its own. */
const packr = new Packr({ useRecords: false, mapsAsObjects: true, moreTypes: false, copyBuffers: true });

export function encodeFrame(frame: Flat): Buffer {
  const payload = packr.encode(frame);
  const out = Buffer.allocUnsafe(HEAD_BYTES + payload.length);
  out.writeUInt32BE(payload.length, 0);
  out.set(payload, HEAD_BYTES);
  return out;
}

/** Puts frames together from the pieces in which they come. Holds at most one frame, and what came in the same read. */
export class FrameReader {
  /** The longest payload that is taken. */
  bytesMax: number;
  #parts: Buffer[] = [];
  #bytes = 0;
  /** Bytes of the frame that has begun, with its head; its head alone until that is there. */
  #wanted = HEAD_BYTES;

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  /** Calls `take` with each frame that is whole now. Throws LinkFault for what is none: the link is of no use then. */
  push(bytes: Buffer, take: (frame: Flat) => void): void {
    this.#parts.push(bytes);
    this.#bytes += bytes.length;
    if (this.#bytes < this.#wanted) return;
    let all = this.#parts.length === 1 ? bytes : Buffer.concat(this.#parts);
    for (;;) {
      this.#wanted = HEAD_BYTES;
      if (all.length < HEAD_BYTES) break;
      const length = all.readUInt32BE(0);
      if (length > this.bytesMax) throw new LinkFault(`a frame of ${length} bytes, and ${this.bytesMax} is the most`);
      this.#wanted += length;
      if (all.length < this.#wanted) break;
      const payload = all.subarray(HEAD_BYTES, this.#wanted);
      all = all.subarray(this.#wanted);
      take(decode(payload));
    }
    this.#parts = all.length === 0 ? [] : [all];
    this.#bytes = all.length;
  }
}

function decode(payload: Buffer): Flat {
  let frame: unknown;
  try {
    frame = packr.decode(payload);
  } catch (error) {
    throw new LinkFault(`a frame that is no msgpack: ${(error as Error).message}`, { cause: error });
  }
  if (!Array.isArray(frame) || typeof frame[0] !== 'number' || !frame.every(isScalar))
    throw new LinkFault('a frame that is no flat array');
  return frame as Flat;
}

const isScalar = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'number' || value instanceof Uint8Array;

/** The records of a batch, from index 1 on. Throws LinkFault where the last one is not whole. */
export function checkStride(frame: Flat, stride: number): void {
  if ((frame.length - 1) % stride !== 0)
    throw new LinkFault(`a batch of kind ${kindOf(frame)} whose last record is cut`);
}

/** For messages. */
export const kindOf = (frame: Flat): string => String(frame[0]);

/** A field of a record as a whole number of at least `min`. */
export function wholeAt(frame: Flat, at: number, min = 0): number {
  const value = frame[at];
  if (typeof value !== 'number' || !Number.isInteger(value) || value < min)
    throw new LinkFault(`no such number in a batch of kind ${kindOf(frame)}`);
  return value;
}

/** A field of a record as a text. */
export function textAt(frame: Flat, at: number): string {
  const value = frame[at];
  if (typeof value !== 'string') throw new LinkFault(`no text in a batch of kind ${kindOf(frame)}`);
  return value;
}
