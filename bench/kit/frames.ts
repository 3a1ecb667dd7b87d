/** Frames of a page in a trace of Chromium's (Trace Event Format), between two marks that the page has set. Pure. */

/** One event of a trace; `ts` in microseconds. */
export interface TraceEvent {
  readonly name: string;
  readonly cat: string;
  readonly ts: number;
  readonly pid: number;
}

/** What a browser must be asked to note, and no more: what is noted takes time too. */
export const CATEGORIES = [
  'blink.user_timing',
  'devtools.timeline.frame',
  'disabled-by-default-devtools.timeline.frame',
];

/** Beyond it a frame is slow. Two refreshes at 60 Hz are 33.3 ms: each frame that was left out counts. */
const SLOW_MS = 33;

/** Milliseconds from each frame to the next. */
export interface Frames {
  /** What the screen was given: a scroll goes on there while scripts run. */
  readonly drawn: readonly number[];
  /** What scripts and layout made: rows come with these. */
  readonly made: readonly number[];
}

/** Throws where a mark is not there: a leg that was not traced has no frames to be proud of. */
export function framesBetween(events: readonly TraceEvent[], from: string, to: string): Frames {
  const [begin, end] = [markOf(events, from), markOf(events, to)];
  const gaps = (name: string): number[] => {
    const at = events
      .filter((one) => one.name === name && one.pid === begin.pid && one.ts >= begin.ts && one.ts <= end.ts)
      .map(({ ts }) => ts)
      .sort((a, b) => a - b);
    return at.slice(1).map((ts, no) => (ts - at[no]!) / 1000);
  };
  return { drawn: gaps('DrawFrame'), made: gaps('BeginMainThreadFrame') };
}

function markOf(events: readonly TraceEvent[], name: string): TraceEvent {
  const mark = events.find((one) => one.cat === 'blink.user_timing' && one.name === name);
  if (mark === undefined) throw new Error(`the trace has no mark ${name}`);
  return mark;
}

export const slowOf = (gaps: readonly number[]): number => gaps.filter((ms) => ms > SLOW_MS).length;

/** Of all frames, in per cent. Where there was none, all of them were slow. */
export const slowShare = (gaps: readonly number[]): number =>
  gaps.length === 0 ? 100 : (100 * slowOf(gaps)) / gaps.length;
