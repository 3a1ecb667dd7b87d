import { describe, expect, test } from 'vitest';
import { zoneOf } from '#actors/kit/zone.ts';
import { limits } from '#config/limits.ts';
import { fc } from '#test/kit/property.ts';

const RUNS = Number(process.env['SKEP_QUERY_RUNS'] ?? 2000);
const ZONES = Intl.supportedValuesOf('timeZone');

/** The offset by the calendar that `Intl` shows, not by the offset that it names. */
function shownOffset(zone: string, ms: number): number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const parts = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
  const { year, month, day, hour, minute, second } = parts as Record<string, number>;
  return Date.UTC(year!, month! - 1, day, hour, minute, second) - Math.floor(ms / 1000) * 1000;
}

describe('the offset of a zone', () => {
  test('is what its calendar shows, at any instant', () => {
    const reached = { whole: 0, parts: 0, summers: 0 };
    const instant = fc.integer({ min: Date.UTC(1900, 0, 1), max: Date.UTC(2040, 0, 1) });
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), instant, fc.integer({ min: 0, max: 200 }), (name, ms, days) => {
        const zone = zoneOf(name)!;
        const later = ms + days * 86_400_000;
        const offset = shownOffset(name, ms);
        expect([zone.offset(ms), zone.offset(later)]).toEqual([offset, shownOffset(name, later)]);
        reached[offset % 3_600_000 === 0 ? 'whole' : 'parts']++;
        if (zone.offset(later) !== offset) reached.summers++;
      }),
      { numRuns: RUNS },
    );
    expect(reached.whole).toBeGreaterThan(RUNS / 4);
    expect(reached.parts).toBeGreaterThan(RUNS / 50);
    expect(reached.summers).toBeGreaterThan(RUNS / 50);
  });

  test.each([
    ['Europe/Berlin', '2026-03-29T00:59:59.999Z', 60],
    ['Europe/Berlin', '2026-03-29T01:00:00.000Z', 120],
    ['europe/berlin', '2026-10-25T01:00:00.000Z', 60],
    ['Australia/Lord_Howe', '2026-04-04T15:00:00.000Z', 630],
    ['Africa/Monrovia', '1972-01-07T00:44:29.999Z', -44.5],
    ['Africa/Monrovia', '1972-01-07T00:44:30.000Z', 0],
    ['Pacific/Apia', '2011-12-30T10:00:00.000Z', 14 * 60],
  ])('%s at %s: %d minutes', (name, at, minutes) => {
    expect(zoneOf(name)!.offset(Date.parse(at))).toBe(minutes * 60_000);
  });

  test('is right after more months than are kept', () => {
    const zone = zoneOf('America/New_York')!;
    for (let no = 0; no < limits.data.zoneChunksKept + 2; no++) zone.offset(no * 32 * 86_400_000);
    expect(zone.offset(Date.parse('2026-07-01T00:00:00Z'))).toBe(-4 * 3_600_000);
  });
});

test.each(['Mars/Olympus', '+02:00', '', 'Europe/Berlin; DROP', 'x'.repeat(65)])('%s is no zone', (name) => {
  expect(zoneOf(name)).toBeUndefined();
});

test('zones beyond those that are kept are made again', () => {
  for (const name of ZONES.slice(0, limits.data.zonesKept + 2)) expect(zoneOf(name)).toBeDefined();
  expect(zoneOf(ZONES[0]!)!.offset(0)).toBe(shownOffset(ZONES[0]!, 0));
});
