/** When a cron expression is due: forms, days on which clocks are set, and a comparison with a second implementation. Source: docs/contract/triggers.md §6.1. */
import { describe, expect, test } from 'vitest';
import { cronFault, nextDueMs } from '#config/definitions/cron.ts';
import { fc } from '#test/kit/property.ts';
import { rounds } from '#test/kit/rounds.ts';
import { clockChanges, dueIn } from '#test/kit/vixie-cron.ts';

const RUNS = rounds({ suite: 200, ci: 1000 }, 'SKEP_CRON_RUNS');
const DAY = 86_400_000;

function next(expression: string, timezone: string, after: string, count = 3): string[] {
  let ms = Date.parse(after);
  return Array.from({ length: count }, () => new Date((ms = nextDueMs({ expression, timezone }, ms)!)).toISOString());
}

describe('forms', () => {
  test.each([
    ['0 3 * * mon-FRI', '2026-11-27T12:00:00Z', '2026-11-30T03:00:00.000Z'],
    ['0 0 1 jan,jul *', '2026-11-27T12:00:00Z', '2027-01-01T00:00:00.000Z'],
    ['15-45/15 8-18 * * *', '2026-11-27T18:30:00Z', '2026-11-27T18:45:00.000Z'],
    ['0 0 * * 7', '2026-11-27T12:00:00Z', '2026-11-29T00:00:00.000Z'],
    ['0 0 13 * 5', '2026-11-28T00:00:00Z', '2026-12-04T00:00:00.000Z'],
    ['0 0 29 2 *', '2026-11-28T00:00:00Z', '2028-02-29T00:00:00.000Z'],
    ['* * * * *', '2026-11-27T12:00:30.500Z', '2026-11-27T12:01:00.000Z'],
    ['0 12 * * *', '2026-11-27T12:00:00Z', '2026-11-28T12:00:00.000Z'],
  ])('%s', (expression, after, due) => {
    expect(cronFault({ expression, timezone: 'UTC' })).toBeNull();
    expect(next(expression, 'UTC', after, 1)).toEqual([due]);
  });

  test.each([
    ['', 'has five fields'],
    ['* * * *', 'this one 4'],
    ['* * * * * *', 'this one 6'],
    ['@daily', 'this one 1'],
    ['60 * * * *', '60'],
    ['*/0 * * * *', '0'],
    ['0 0 0 * *', 'day'],
    ['0 22-2 * * *', '22-2'],
    ['0 0 L * *', '"L" cannot be read'],
    ['0 0 15W * *', '"15W" cannot be read'],
    ['0 0 * * 5#2', '"5#2" cannot be read'],
    ['0 0 ? * *', '"?" cannot be read'],
    ['0 0 * * +1', '"+1" cannot be read'],
    ['5/15 * * * *', '5/15'],
    ['1,,2 * * * *', '"1,,2" cannot be read'],
    ['0 0 * mon *', '"mon" cannot be read'],
    ['mon * * * *', '"mon" cannot be read'],
    ['0 0 30 2 *', 'never due'],
  ])('refused: %s', (expression, why) => {
    const fault = cronFault({ expression, timezone: 'UTC' });
    expect(fault).toMatchObject({ key: 'cron', message: expect.stringContaining(why) });
  });

  test.each(['Mars/Olympus', '+01:00', '', 'Europe/'])('no zone: %s', (timezone) => {
    expect(cronFault({ expression: '0 0 * * *', timezone })).toMatchObject({ key: 'timezone' });
  });
});

describe('days on which clocks are set', () => {
  test('a time that does not exist is due at the jump, one that exists twice once', () => {
    expect(next('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', 2)).toEqual([
      '2026-03-29T01:00:00.000Z',
      '2026-03-30T00:30:00.000Z',
    ]);
    expect(next('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', 2)).toEqual([
      '2026-10-25T00:30:00.000Z',
      '2026-10-26T01:30:00.000Z',
    ]);
    expect(next('0 0 * * *', 'America/Sao_Paulo', '2018-11-03T12:00:00Z', 2)).toEqual([
      '2018-11-04T03:00:00.000Z',
      '2018-11-05T02:00:00.000Z',
    ]);
  });

  test('an interval goes by real time: it leaves out what does not exist, and goes on in the hour that comes twice', () => {
    expect(next('*/30 * * * *', 'Europe/Berlin', '2026-03-29T00:15:00Z')).toEqual([
      '2026-03-29T00:30:00.000Z',
      '2026-03-29T01:00:00.000Z',
      '2026-03-29T01:30:00.000Z',
    ]);
    expect(next('*/30 2 * * *', 'Europe/Berlin', '2026-10-24T23:59:00Z', 4)).toEqual([
      '2026-10-25T00:00:00.000Z',
      '2026-10-25T00:30:00.000Z',
      '2026-10-25T01:00:00.000Z',
      '2026-10-25T01:30:00.000Z',
    ]);
  });
});

/** Instants near which clocks were set: an hour at two o'clock and at midnight, half an hour, and zones without it. */
const CHANGES: readonly (readonly [string, string])[] = [
  ['Europe/Berlin', '2026-03-29T01:00:00Z'],
  ['Europe/Berlin', '2026-10-25T01:00:00Z'],
  ['America/New_York', '2026-03-08T07:00:00Z'],
  ['America/New_York', '2026-11-01T06:00:00Z'],
  ['America/Sao_Paulo', '2018-11-04T03:00:00Z'],
  ['America/Sao_Paulo', '2018-02-18T02:00:00Z'],
  ['Australia/Lord_Howe', '2026-10-03T15:30:00Z'],
  ['Australia/Lord_Howe', '2026-04-04T15:00:00Z'],
  ['Atlantic/Azores', '2026-03-29T01:00:00Z'],
  ['Pacific/Chatham', '2026-09-26T14:00:00Z'],
  ['Asia/Kathmandu', '2026-06-01T00:00:00Z'],
  ['UTC', '2028-02-29T00:00:00Z'],
];

const range = (low: number, high: number) =>
  fc
    .tuple(fc.integer({ min: low, max: high }), fc.integer({ min: low, max: high }))
    .map(([a, b]) => [Math.min(a, b), Math.max(a, b)]);
const stepOf = fc.integer({ min: 1, max: 20 });
const item = (low: number, high: number) =>
  fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: low, max: high }).map(String) },
    { weight: 2, arbitrary: range(low, high).map(([a, b]) => `${a}-${b}`) },
    {
      weight: 1,
      arbitrary: fc.tuple(range(low, high), stepOf).map(([[a, b], step]) => `${a}-${b}/${Math.min(step, high)}`),
    },
  );
const field = (low: number, high: number, star: number) =>
  fc.oneof(
    { weight: star, arbitrary: fc.constant('*') },
    { weight: 1, arbitrary: stepOf.map((step) => `*/${Math.min(step, high)}`) },
    { weight: 4, arbitrary: fc.array(item(low, high), { minLength: 1, maxLength: 3 }).map((items) => items.join(',')) },
  );
const expressions = fc
  .tuple(
    field(0, 59, 1),
    fc.oneof(field(0, 23, 1), fc.constantFrom('0', '1', '2', '1-3', '0,2', '23')),
    field(1, 31, 9),
    field(1, 12, 12),
    field(0, 7, 9),
  )
  .map((fields) => fields.join(' '));

test(
  `${RUNS} expressions near changes of the clocks are due when the rules of vixie cron say so`,
  { timeout: 240_000 },
  () => {
    const reached = { due: 0, never: 0, interval: 0, changes: 0, eitherDay: 0 };
    const cases = fc.record({
      change: fc.constantFrom(...CHANGES),
      expression: expressions,
      beforeMinutes: fc.integer({ min: -300, max: 1500 }),
    });
    fc.assert(
      fc.property(cases, ({ change: [timezone, at], expression, beforeMinutes }) => {
        const changeMs = Date.parse(at);
        const window = { fromMs: changeMs - 3 * DAY, untilMs: changeMs + 2 * DAY };
        let after = changeMs - beforeMinutes * 60_000;
        reached.changes += clockChanges(timezone, window);
        if (/[*/]/.test(expression.split(' ').slice(0, 2).join(''))) reached.interval++;
        const [, , ofMonth, , ofWeek] = expression.split(' ');
        if (ofMonth !== '*' && ofWeek !== '*') reached.eitherDay++;
        const due = dueIn(expression, timezone, window).filter((ms) => ms > after);
        for (const wanted of due.slice(0, 5)) {
          expect(nextDueMs({ expression, timezone }, after)).toBe(wanted);
          after = wanted;
          reached.due++;
        }
        if (due.length > 0) return;
        const later = nextDueMs({ expression, timezone }, after);
        expect(later === null || later >= window.untilMs).toBe(true);
        reached.never++;
      }),
      { numRuns: RUNS },
    );
    expect(reached.due).toBeGreaterThan(RUNS);
    for (const count of Object.values(reached)) expect(count).toBeGreaterThan(RUNS / 20);
  },
);
