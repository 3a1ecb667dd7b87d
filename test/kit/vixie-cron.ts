/**
 * When a cron expression is due, written a second time from the rules of vixie cron: it walks all minutes of a window by the clocks of a zone. For
 * comparisons; it knows numbers, lists, ranges and steps, no names.
 */

export interface Window {
  readonly fromMs: number;
  readonly untilMs: number;
}

const MINUTE = 60_000;
/** All zones set their clocks at a quarter of an hour. */
const QUARTER = 15 * MINUTE;
const RANGES = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 7],
] as const;

/** Milliseconds that the clocks of a zone are ahead of UTC at an instant. */
function offsetAt(format: Intl.DateTimeFormat, ms: number): number {
  const part: Record<string, number> = {};
  for (const { type, value } of format.formatToParts(ms)) part[type] = Number(value);
  const wall = Date.UTC(part['year']!, part['month']! - 1, part['day'], part['hour'], part['minute'], part['second']);
  return wall - ms;
}

const formatOf = (timezone: string): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });

function valuesOf(field: string, [low, high]: readonly [number, number]): Set<number> {
  const values = new Set<number>();
  for (const item of field.split(',')) {
    const [range = '', step = '1'] = item.split('/');
    const [from = 0, to = from] = range === '*' ? [low, high] : range.split('-').map(Number);
    for (let value = from; value <= to; value += Number(step)) values.add(value);
  }
  return values;
}

/** Whether clocks that show a wall time (as if it were UTC) show one of the expression. */
function matcherOf(expression: string): (wallMs: number) => boolean {
  const fields = expression.split(' ');
  const [minutes, hours, days, months, weekdays] = fields.map((field, at) => valuesOf(field, RANGES[at]!)) as [
    Set<number>,
    Set<number>,
    Set<number>,
    Set<number>,
    Set<number>,
  ];
  if (weekdays.has(7)) weekdays.add(0);
  const eitherDay = fields[2] !== '*' && fields[4] !== '*';
  return (wallMs) => {
    const wall = new Date(wallMs);
    const [ofMonth, ofWeek] = [days.has(wall.getUTCDate()), weekdays.has(wall.getUTCDay())];
    if (!minutes.has(wall.getUTCMinutes()) || !hours.has(wall.getUTCHours())) return false;
    return months.has(wall.getUTCMonth() + 1) && (eitherDay ? ofMonth || ofWeek : ofMonth && ofWeek);
  };
}

/** The offset of each quarter of an hour of a window. */
function offsetsOf(timezone: string, { fromMs, untilMs }: Window): (ms: number) => number {
  const format = formatOf(timezone);
  const known = new Map<number, number>();
  for (let ms = fromMs; ms < untilMs; ms += QUARTER) known.set(ms, offsetAt(format, ms));
  return (ms) => known.get(ms - (ms % QUARTER))!;
}

/** How often clocks were set within a window. */
export function clockChanges(timezone: string, window: Window): number {
  const offset = offsetsOf(timezone, window);
  let changes = 0;
  for (let ms = window.fromMs + QUARTER; ms < window.untilMs; ms += QUARTER)
    if (offset(ms) !== offset(ms - QUARTER)) changes++;
  return changes;
}

/** Every instant of a window at which the expression is due. The window begins at a quarter of an hour. */
export function dueIn(expression: string, timezone: string, window: Window): number[] {
  const matches = matcherOf(expression);
  const offset = offsetsOf(timezone, window);
  const isInterval = /[*/]/.test(expression.split(' ').slice(0, 2).join(' '));
  const due: number[] = [];
  let latestWall = -Infinity;
  for (let ms = window.fromMs; ms < window.untilMs; ms += MINUTE) {
    const wall = ms + offset(ms);
    if (
      isInterval
        ? matches(wall)
        : firstMatch(matches, Math.max(latestWall + MINUTE, wall - 2 * 86_400_000), wall, latestWall)
    )
      due.push(ms);
    latestWall = Math.max(latestWall, wall);
  }
  return due;
}

/** A time that a jump left out is due at the jump; one that clocks showed before is not due again. */
function firstMatch(matches: (wall: number) => boolean, from: number, until: number, latest: number): boolean {
  if (latest === -Infinity) return matches(until);
  for (let wall = from; wall <= until; wall += MINUTE) if (matches(wall)) return true;
  return false;
}
