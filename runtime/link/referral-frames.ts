/**
 * Frames about tenants whose host another node carries, on the link of a door: the node that serves refers the door to that one, so that requests need not cross it. The door tells how many requests of such
 * tenants its own node has answered, which are counted as all others are.
 */
import type { Flat } from '#actors/protocol/frame.ts';
import { parsePosition } from '#actors/protocol/position.ts';
import { LinkFault, textAt, wholeAt } from './frames.ts';

/** The node that serves → a door: where requests of a tenant may go. */
export const REFERRED = 19;
/** Likewise: they may not any more; of one tenant, by its position, or of all where that is ''. */
export const RECALLED = 20;
/** A door → the node that serves: numbers of tenants, and how many requests of each were answered without that one. */
export const COUNTED = 21;

/** Where the host of a tenant runs. */
export interface Referral {
  /** The tenant's position, its number and shard. */
  readonly key: string;
  readonly no: number;
  readonly shard: number;
  /** The place of the host, and which start of a thread for it is meant: of a later one this says nothing. */
  readonly place: number;
  readonly start: number;
  /** The node that carries it: the id of its life, its name, and where its link listens. */
  readonly id: string;
  readonly node: string;
  readonly link: string;
}

export function referralFrame({ id, key, link, no, node, place, shard, start }: Referral): Flat {
  return [REFERRED, key, no, shard, place, start, id, node, link];
}

/** Throws LinkFault for what the node that serves does not send. */
export function readReferral(frame: Flat): Referral {
  const key = textAt(frame, 1);
  if (parsePosition(key) === null) throw new LinkFault('a referral of no position');
  return {
    key,
    no: wholeAt(frame, 2, 1),
    shard: wholeAt(frame, 3),
    place: wholeAt(frame, 4),
    start: wholeAt(frame, 5),
    id: textAt(frame, 6),
    node: textAt(frame, 7),
    link: textAt(frame, 8),
  };
}

export const recallFrame = (key: string): Flat => [RECALLED, key];

/** Numbers of tenants and counts in one frame. */
const COUNTS_MAX = 1000;

/** The frames of what was counted, by number of the tenant. */
export function countFrames(counts: ReadonlyMap<number, number>): Flat[] {
  const pairs = [...counts];
  const frames: Flat[] = [];
  for (let at = 0; at < pairs.length; at += COUNTS_MAX)
    frames.push([COUNTED, ...pairs.slice(at, at + COUNTS_MAX).flat()]);
  return frames;
}

/** Calls `take` with each number of a tenant and its count. Throws LinkFault for what a door does not send. */
export function readCounts(frame: Flat, take: (no: number, count: number) => void): void {
  if (frame.length % 2 === 0) throw new LinkFault('a count without a tenant');
  for (let at = 1; at < frame.length; at += 2) take(wholeAt(frame, at, 1), wholeAt(frame, at + 1, 1));
}
