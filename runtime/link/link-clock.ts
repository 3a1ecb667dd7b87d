/** The clocks of two nodes that run hosts together: neither stays behind the other, so that what one issued counts at the other at once. */
import type { Flat } from '#actors/protocol/frame.ts';
import { PLACE_TIME, timeIn } from './place-frames.ts';

export interface LinkClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** The other node is that far. */
  reach(ms: number): void;
}

export const timeFrame = (clock: LinkClock): Flat => [PLACE_TIME, clock.now()];

/** Whether a frame was the word of the other clock. Throws LinkFault where that one is too far ahead. */
export function heardTime(frame: Flat, clock: LinkClock): boolean {
  if (frame[0] !== PLACE_TIME) return false;
  clock.reach(timeIn(frame, clock.now()));
  return true;
}
