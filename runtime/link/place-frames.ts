/**
 * Frames about hosts that the node on the other end carries. The place stands in front of each; `S` is the node that serves, `C` the one that carries. Batches are those that cross threads, as they are; a
 * word is any other message between main and a thread, in pieces.
 */
import { deserialize, serialize } from 'node:v8';
import { limits } from '#config/limits.ts';
import type { Flat } from '#actors/protocol/frame.ts';
import { LinkFault, kindOf, wholeAt } from './frames.ts';

/** S → C: start a thread for this place, of this number (it rises with each start), which loads what tenants of these checkouts serve (texts), and opens nothing. */
export const PLACE_START = 32;
/** C → S: it is there. */
export const PLACE_READY = 33;
/** S → C: these shards (numbers) are its own to open from now on. */
export const PLACE_BEGIN = 34;
/** C → S: the others know that this node carries for that one; the thread takes words and batches. */
export const PLACE_BEGUN = 35;
/** S → C: the door of that node hands it no further request; those that it has been handed are answered. */
export const PLACE_RECALL = 43;
/** S → C: end it at once. */
export const PLACE_KILL = 36;
/** C → S: the thread is gone, with the reason; the last frame about it. */
export const PLACE_GONE = 37;
/** C → S: how long the thread's event loop has waited so far, milliseconds, and the cells of its pulse. */
export const PLACE_LOAD = 38;
/** Both: a batch. */
export const PLACE_BATCH = 39;
/** Both: a piece of a word, and whether it is the last one: 1, or 0. */
export const PLACE_WORD = 40;
/** Both: the clock of that node, milliseconds since 1970. About no place. */
export const PLACE_TIME = 42;
/** C → S: a thread wants the keys of the trusted issuer to be fetched. */
export const PLACE_KEYS = 41;

/** Ids of asks of the node that serves begin here: the one that carries made its own of the thread, with lower ones, and gets the answers to those. */
export const FAR_IDS_FROM = 2 ** 31;

/** Cells of a pulse that travel with a load. */
export const PULSE_CELLS = 6;

const { wordBytesMax, wordPieceBytes } = limits.cluster.link;

/** The frames of one word. Throws where it is longer than one may be. */
export function wordFrames(place: number, message: unknown): Flat[] {
  const bytes = serialize(message);
  if (bytes.length > wordBytesMax)
    throw new Error(`a word of ${bytes.length} bytes for a carried host, and ${wordBytesMax} is the most`);
  const frames: Flat[] = [];
  for (let at = 0; at === 0 || at < bytes.length; at += wordPieceBytes) {
    const isLast = at + wordPieceBytes >= bytes.length;
    frames.push([PLACE_WORD, place, isLast ? 1 : 0, bytes.subarray(at, at + wordPieceBytes)]);
  }
  return frames;
}

/** Puts the words of one place together. */
export class WordReader {
  #pieces: Uint8Array[] = [];
  #bytes = 0;

  /** Calls `take` with the word that is whole now, if one is. Throws LinkFault for what is none, or too long. */
  push(frame: Flat, take: (message: unknown) => void): void {
    const piece = frame[3];
    if (!(piece instanceof Uint8Array)) throw new LinkFault('a piece of a word that is no bytes');
    this.#bytes += piece.length;
    if (this.#bytes > wordBytesMax) throw new LinkFault(`a word of more than ${wordBytesMax} bytes`);
    this.#pieces.push(piece);
    if (frame[2] !== 1) return;
    const whole = Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#bytes = 0;
    take(wordIn(whole));
  }
}

function wordIn(bytes: Buffer): unknown {
  try {
    return deserialize(bytes);
  } catch (error) {
    throw new LinkFault('a word that cannot be read', { cause: error });
  }
}

/** The clock of the other node. Throws LinkFault where it is too far ahead of this one's. */
export function timeIn(frame: Flat, now: number): number {
  const time = frame[1];
  if (typeof time !== 'number') throw new LinkFault('no time in the word of a clock');
  const aheadMs = Math.round(time - now);
  if (aheadMs > limits.cluster.link.aheadMsMax)
    throw new LinkFault(`its clock is ${aheadMs} ms ahead of this node's: set the clocks (chronyc makestep)`);
  return time;
}

/** The place that a frame is about. */
export function placeIn(frame: Flat): number {
  const place = wholeAt(frame, 1);
  if (place >= limits.cluster.placesMax) throw new LinkFault(`no such place in a frame of kind ${kindOf(frame)}`);
  return place;
}

/** A batch, taken out of its frame. */
export function batchIn(frame: Flat): Flat {
  wholeAt(frame, 2, 1);
  return frame.slice(2);
}
