/** Time is passed in: behaviour never reads the wall clock by itself. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

/** A clock that also measures slices. */
export interface FineClock extends Clock {
  /** Milliseconds with their fractions, from any beginning; a step of the wall clock does not move it. */
  fine(): number;
}

/** What the floor adds to the wall clock, in milliseconds, and how far the floor had come before this start (runtime/clock-floor.ts). */
const OFFSET = 0;
const KNOWN = 1;
let floor: Float64Array = new Float64Array(2);

/** Memory for the floor of one node; every thread is given it. */
export function createClockFloor(): SharedArrayBuffer {
  return new SharedArrayBuffer(2 * Float64Array.BYTES_PER_ELEMENT);
}

/** From now on this thread's clock uses the node's floor. */
export function standOnFloor(memory: SharedArrayBuffer): void {
  floor = new Float64Array(memory);
}

/** Main says what the floor of its node adds from now on: in the node's own memory, for another one may run in this process. */
export function raiseClock(memory: SharedArrayBuffer, offsetMs: number): void {
  new Float64Array(memory)[OFFSET] = offsetMs;
}

/** Main says what was known at its start. */
export function knowClockFloor(memory: SharedArrayBuffer, ms: number): void {
  new Float64Array(memory)[KNOWN] = ms;
}

/** The highest instant that the node had made durable before this start; 0 when none is known. */
export const clockFloorKnown = (): number => floor[KNOWN]!;

/** The wall clock, or the node's floor when that is higher: credentials are issued and expire by it. */
export const systemClock: FineClock = { now: () => Date.now() + floor[OFFSET]!, fine: () => performance.now() };

/** The machine's clock without the floor. */
export const wallClock: FineClock = { now: () => Date.now(), fine: () => performance.now() };

/** A clock by which no slice ends: of work that has no further one, and is bounded by what it does. */
export const untimed = (clock: Clock): FineClock => ({ now: () => clock.now(), fine: () => 0 });

const LAST_INSTANT_MS = Date.UTC(9999, 11, 31, 23, 59, 59);

/** The last timestamp: a thread writes many in the same millisecond, and making one is expensive. */
let written = { ms: Number.NaN, text: '' };

/** RFC 3339 UTC with milliseconds; instants past the year 9999 are cut at 9999-12-31T23:59:59Z (docs/contract/common.md §2.1). */
export function timestamp(ms: number): string {
  if (ms === written.ms) return written.text;
  const text = ms >= LAST_INSTANT_MS ? '9999-12-31T23:59:59Z' : new Date(ms).toISOString();
  written = { ms, text };
  return text;
}
