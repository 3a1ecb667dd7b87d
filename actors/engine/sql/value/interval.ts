/** Spans of time, to be added to instants: months, days and milliseconds, kept apart as PostgreSQL does. */
import { timestamp } from '#actors/kit/clock.ts';
import { SqlFault } from '../fault.ts';

export interface Interval {
  readonly months: number;
  readonly days: number;
  readonly ms: number;
}

const PART = /^\s*([+-]?\d+(?:\.\d+)?)\s*([a-z]+)/i;
const CLOCK = /^\s*([+-]?)(\d+):(\d\d)(?::(\d\d(?:\.\d{1,6})?))?\s*$/;

/** `[months, days, ms]` of each unit. */
const UNITS: Readonly<Record<string, readonly [number, number, number]>> = {
  year: [12, 0, 0],
  month: [1, 0, 0],
  mon: [1, 0, 0],
  week: [0, 7, 0],
  day: [0, 1, 0],
  hour: [0, 0, 3_600_000],
  minute: [0, 0, 60_000],
  min: [0, 0, 60_000],
  second: [0, 0, 1000],
  sec: [0, 0, 1000],
};

/** `1 year 2 months`, `7 days`, `90 minutes`, `01:30:00`, in any mixture; undefined for anything else. */
export function intervalOf(text: string): Interval | undefined {
  let rest = text;
  let [months, days, ms] = [0, 0, 0];
  for (let part = PART.exec(rest); part !== null; part = PART.exec(rest)) {
    const unit = UNITS[part[2]!.toLowerCase().replace(/(?<=..)s$/, '')];
    const count = Number(part[1]);
    if (unit === undefined || (!Number.isInteger(count) && unit[2] === 0)) return undefined;
    months += count * unit[0];
    days += count * unit[1];
    ms += Math.round(count * unit[2]);
    rest = rest.slice(part[0].length);
  }
  if (rest.trim() === '') return rest === text ? undefined : { months, days, ms };
  const clock = CLOCK.exec(rest);
  if (clock === null) return undefined;
  const span = Number(clock[2]) * 3_600_000 + Number(clock[3]) * 60_000 + Math.round(Number(clock[4] ?? 0) * 1000);
  return { months, days, ms: ms + (clock[1] === '-' ? -span : span) };
}

/** What intervals are compared by: a month counts as 30 days, a day as 24 hours (timestamp.c interval_cmp_value). */
export function intervalOrder({ months, days, ms }: Interval): number {
  return (months * 30 + days) * 86_400_000 + ms;
}

export function added(a: Interval, b: Interval): Interval {
  return { months: a.months + b.months, days: a.days + b.days, ms: a.ms + b.ms };
}

/** A part of an interval; what is left of months goes to days, what is left of days to time (timestamp.c interval_div). */
export function divided({ months, days, ms }: Interval, by: number): Interval {
  const whole = { months: Math.trunc(months / by), days: Math.trunc(days / by) };
  const daysLeft = (months / by - whole.months) * 30 + days / by - whole.days;
  const more = Math.trunc(daysLeft + Math.sign(daysLeft) * 1e-9);
  return { ...whole, days: whole.days + more, ms: Math.round(ms / by + (daysLeft - more) * 86_400_000) };
}

/** The span between two instants, in days and time. */
export function between(later: string, earlier: string): Interval {
  const span = Date.parse(later) - Date.parse(earlier);
  const days = Math.trunc(span / 86_400_000);
  return { months: 0, days, ms: span - days * 86_400_000 };
}

/** An interval as ISO 8601 writes it. */
export function intervalText({ months, days, ms }: Interval): string {
  return `P${months}M${days}DT${ms / 1000}S`;
}

export function times({ months, days, ms }: Interval, count: number): Interval {
  return { months: Math.trunc(months * count), days: Math.trunc(days * count), ms: Math.round(ms * count) };
}

export function opposite(interval: Interval): Interval {
  return times(interval, -1);
}

/** An instant moved by months (a day past the month's end becomes its last), then by days, then by time. */
export function moved(instant: string, { months, days, ms }: Interval): string {
  const at = new Date(instant);
  if (months !== 0) {
    const day = at.getUTCDate();
    at.setUTCDate(1);
    at.setUTCMonth(at.getUTCMonth() + months);
    const last = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 0)).getUTCDate();
    at.setUTCDate(Math.min(day, last));
  }
  return instantText(at.getTime() + days * 86_400_000 + ms);
}

/** A day as a date. */
export function dateText(year: number, month: number, day: number): string {
  return [String(year).padStart(4, '0'), String(month).padStart(2, '0'), String(day).padStart(2, '0')].join('-');
}

/** Milliseconds as an instant; a fault outside the years 0000 to 9999. */
export function instantText(ms: number): string {
  if (!(ms >= -62_167_219_200_000 && ms <= 253_402_300_799_999)) throw new SqlFault('timestamp out of range');
  return timestamp(ms);
}
