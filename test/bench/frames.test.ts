/** Frames of a page, read out of a trace: which gaps count, and that what is not there is no good figure. */
import { describe, expect, test } from 'vitest';
import { framesBetween, slowOf, slowShare, type TraceEvent } from '#bench/kit/frames.ts';

const PAGE = 7;
const event = (name: string, ms: number, pid = PAGE): TraceEvent => ({ name, cat: 'frames', ts: ms * 1000, pid });
const mark = (name: string, ms: number): TraceEvent => ({ ...event(name, ms), cat: 'blink.user_timing' });

describe('frames of a trace', () => {
  test('gaps between the frames of the page that set the marks, in their order', () => {
    const events = [
      event('DrawFrame', 5),
      mark('begin', 10),
      event('DrawFrame', 50),
      event('DrawFrame', 16),
      event('DrawFrame', 33),
      event('DrawFrame', 20, 8),
      event('BeginMainThreadFrame', 17),
      event('BeginMainThreadFrame', 77),
      mark('end', 80),
      event('DrawFrame', 900),
    ];
    expect(framesBetween(events, 'begin', 'end')).toEqual({ drawn: [17, 17], made: [60] });
  });

  test('a frame of two refreshes is slow, one is not', () => {
    expect(slowOf([16.7, 33.3, 50, 16.6])).toBe(2);
    expect(slowShare([16.7, 33.3, 50, 16.6])).toBe(50);
  });

  test('no frames are no good figure, and neither is a leg without its mark', () => {
    expect(slowShare([])).toBe(100);
    expect(() => framesBetween([mark('begin', 1)], 'begin', 'end')).toThrow('no mark end');
  });
});
