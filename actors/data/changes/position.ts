/**
 * Numbers of changes, and positions between them (docs/contract/changes.md §3). A number is a time in parts of a millisecond, moved on by a random
 * step: so what lies between two numbers that a subscriber is told says nothing of how many changes it is not told. Pure.
 */
import { limits } from '#config/limits.ts';

const TICKS_PER_MS = 1024;
const POSITION = /^\d{1,16}$/;

/** The number after `last`: higher than every number given and every position told before. `noise`: a random byte. */
export function numberAfter(last: number, nowMs: number, noise: number): number {
  return Math.max(last, nowMs * TICKS_PER_MS) + 1 + noise;
}

/** The lowest position of an instant. */
export const positionAt = (ms: number): number => ms * TICKS_PER_MS;

/**
 * The position of a subscriber to whom everything was told up to `told` and for whom nothing else was to tell: it follows the clock from far enough
 * behind, so that it shows no change that the subscriber may not see.
 */
export function idlePosition(told: number, nowMs: number): number {
  return Math.max(told, positionAt(nowMs - limits.changes.idleLagMs));
}

/** Null for a text that is no position. */
export function parsePosition(text: string): number | null {
  if (!POSITION.test(text)) return null;
  const position = Number(text);
  return Number.isSafeInteger(position) ? position : null;
}

/** Whether a subscriber can go on from a position: `floor` and `seq` are those of the head. A position after all numbers and after now was told by another log. */
export function isKnown(
  position: number,
  { floor, seq }: { readonly floor: number; readonly seq: number },
  nowMs: number,
): boolean {
  return position >= floor && position <= Math.max(seq, positionAt(nowMs));
}
