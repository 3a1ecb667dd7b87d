/** Functions of instants and spans, in UTC unless a zone is named. */
import { shown } from '#actors/kit/shown.ts';
import { SqlFault } from '../fault.ts';
import type { Value } from '../type.ts';
import { dateText, instantText, type Interval } from '../value/interval.ts';
import { round } from '../value/numeric.ts';
import { burn } from '#actors/kit/pace/fuel.ts';
import { zoneOf } from '#actors/kit/zone.ts';
import { is, type Signature } from './signature.ts';

const UNITS = ['year', 'month', 'day', 'hour', 'minute', 'second'] as const;
/** By unit: how many characters of an instant stay, and the text that follows them. */
const KEPT: Readonly<Record<string, readonly [number, string]>> = {
  year: [4, '-01-01T00:00:00.000Z'],
  month: [7, '-01T00:00:00.000Z'],
  day: [10, 'T00:00:00.000Z'],
  hour: [13, ':00:00.000Z'],
  minute: [16, ':00.000Z'],
  second: [19, '.000Z'],
  milliseconds: [23, 'Z'],
  microseconds: [23, 'Z'],
};
/** Years of a unit, and the last digits of its first year. */
const SPANS: Readonly<Record<string, readonly [number, number]>> = {
  decade: [10, 0],
  century: [100, 1],
  millennium: [1000, 1],
};
const DAY_MS = 86_400_000;
/** What it costs at worst to find a zone and its offsets. */
const ZONE_UNITS = 50;

function truncateTo(unit: Value, instant: Value): string {
  const name = (unit as string).toLowerCase();
  const text = instant as string;
  const kept = KEPT[name];
  if (kept !== undefined) return text.slice(0, kept[0]) + kept[1];
  const day = Date.parse(`${text.slice(0, 10)}T00:00:00Z`);
  if (name === 'week') return new Date(day - weekdayOf(day) * DAY_MS).toISOString();
  const span = SPANS[name];
  if (span !== undefined) {
    const [years, first] = span;
    const year = Math.floor((Number(text.slice(0, 4)) - first) / years) * years + first;
    return instantText(Date.UTC(2000, 0, 1) + yearsFrom2000(year));
  }
  if (name !== 'quarter') throw unknownUnit(unit);
  const first = Math.floor((Number(text.slice(5, 7)) - 1) / 3) * 3 + 1;
  return `${text.slice(0, 5)}${String(first).padStart(2, '0')}-01T00:00:00.000Z`;
}

function yearsFrom2000(year: number): number {
  const at = new Date(0);
  at.setUTCFullYear(year, 0, 1);
  return at.getTime() - Date.UTC(2000, 0, 1);
}

/** `date_trunc` by the clocks of a time zone: where they show the same time twice, the first counts. */
function truncateIn(unit: Value, instant: Value, name: Value): string {
  burn(ZONE_UNITS);
  const zone = zoneOf(name as string);
  if (zone === undefined) throw new SqlFault(`time zone "${shown(name)}" not recognized`);
  const ms = Date.parse(instant as string);
  const local = Date.parse(truncateTo(unit, instantText(ms + zone.offset(ms))));
  const [before, after] = [zone.offset(local - DAY_MS), zone.offset(local + DAY_MS)];
  const early = local - Math.max(before, after);
  return instantText(early + zone.offset(early) === local ? early : local - Math.min(before, after));
}

/** The ISO year and week of a day. */
function isoWeek(day: number): { readonly year: number; readonly week: number } {
  const thursday = new Date(day + (3 - weekdayOf(day)) * DAY_MS);
  const year = thursday.getUTCFullYear();
  const first = new Date(0);
  first.setUTCFullYear(year, 0, 1);
  return { year, week: Math.floor((thursday.getTime() - first.getTime()) / DAY_MS / 7) + 1 };
}

/** The number of days since Monday, 0 to 6. */
function weekdayOf(ms: number): number {
  return (new Date(ms).getUTCDay() + 6) % 7;
}

/** A field of an instant as an exact decimal. */
export function extract(field: Value, instant: Value): string {
  const name = (field as string).toLowerCase();
  const text = instant as string;
  const at = new Date(text);
  const day = Date.parse(`${text.slice(0, 10)}T00:00:00Z`);
  switch (name) {
    case 'second':
      return round((at.getUTCSeconds() + at.getUTCMilliseconds() / 1000).toFixed(3), 6);
    case 'epoch':
      return round((at.getTime() / 1000).toFixed(3), 6);
    case 'dow':
      return String(at.getUTCDay());
    case 'isodow':
      return String(weekdayOf(day) + 1);
    case 'doy':
      return String((day - Date.parse(`${text.slice(0, 4)}-01-01T00:00:00Z`)) / DAY_MS + 1);
    case 'quarter':
      return String(Math.floor(at.getUTCMonth() / 3) + 1);
    case 'week':
      return String(isoWeek(day).week);
    case 'isoyear':
      return String(isoWeek(day).year);
    case 'decade':
      return String(Math.floor(at.getUTCFullYear() / 10));
    case 'century':
      return String(Math.ceil(at.getUTCFullYear() / 100));
    case 'millennium':
      return String(Math.ceil(at.getUTCFullYear() / 1000));
    case 'milliseconds':
      return round(String(at.getUTCSeconds() * 1000 + at.getUTCMilliseconds()), 3);
    case 'microseconds':
      return String((at.getUTCSeconds() * 1000 + at.getUTCMilliseconds()) * 1000);
    default:
      return part(name, text, field);
  }
}

function part(name: string, text: string, field: Value): string {
  const unit = UNITS.findIndex((one) => one === name);
  if (unit < 0) throw unknownUnit(field);
  return String(Number(text.split(/[-T:.Z]/)[unit]));
}

function unknownUnit(unit: Value): SqlFault {
  return new SqlFault(`the unit "${shown(unit)}" is not known`);
}

/** A field of a span as an exact decimal: of years 365.25 days, of months 30 days in `epoch`. */
function extractSpan(field: Value, span: Value): string {
  const { months, days, ms } = span as Interval;
  const whole = (value: number): string => String(Math.trunc(value) + 0);
  switch ((field as string).toLowerCase()) {
    case 'epoch': {
      const year = Math.trunc(months / 12);
      return round((year * 31_557_600 + ((months % 12) * 30 + days) * 86_400 + ms / 1000).toFixed(3), 6);
    }
    case 'year':
      return whole(months / 12);
    case 'month':
      return whole(months % 12);
    case 'day':
      return whole(days);
    case 'hour':
      return whole(ms / 3_600_000);
    case 'minute':
      return whole((ms / 60_000) % 60);
    case 'second':
      return round(((ms % 60_000) / 1000).toFixed(3), 6);
    default:
      throw unknownUnit(field);
  }
}

const fieldsOf = (text: string): number[] => text.split(/[-T:.Z]/, 7).map(Number);

function daysIn(year: number, month: number): number {
  const last = new Date(0);
  last.setUTCFullYear(year, month, 0);
  return last.getUTCDate();
}

/** The span between two instants in years, months, days and time, as calendars count it (timestamp.c timestamptz_age). */
export function age(later: Value, earlier: Value): Interval {
  const isBack = (later as string) < (earlier as string);
  const [from, to] = (isBack ? [later, earlier] : [earlier, later]) as [string, string];
  const [one, two] = [fieldsOf(from), fieldsOf(to)];
  let [year, month, day, hour, minute, second, ms] = two.map((value, i) => value - one[i]!) as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  if (ms < 0) [ms, second] = [ms + 1000, second - 1];
  if (second < 0) [second, minute] = [second + 60, minute - 1];
  if (minute < 0) [minute, hour] = [minute + 60, hour - 1];
  if (hour < 0) [hour, day] = [hour + 24, day - 1];
  if (day < 0) [day, month] = [day + daysIn(one[0]!, one[1]!), month - 1];
  if (month < 0) [month, year] = [month + 12, year - 1];
  const sign = isBack ? -1 : 1;
  const span = ((hour * 60 + minute) * 60 + second) * 1000 + ms;
  return { months: sign * (year * 12 + month) + 0, days: sign * day + 0, ms: sign * span + 0 };
}

function makeDate(year: Value, month: Value, day: Value): string {
  const [y, m, d] = [Number(year), Number(month), Number(day)];
  if (y < 1 || y > 9999 || m < 1 || m > 12 || d < 1 || d > daysIn(y, m))
    throw new SqlFault(`date field value out of range: ${y}-${m}-${d}`);
  return dateText(y, m, d);
}

/** The begin of the bin in which an instant lies; bins have one length, and one begins at the origin. */
function bin(stride: Value, at: Value, origin: Value): string {
  const { months, days, ms } = stride as Interval;
  if (months !== 0) throw new SqlFault('timestamps cannot be binned into intervals containing months or years');
  const length = days * DAY_MS + ms;
  if (length <= 0) throw new SqlFault('stride must be greater than zero');
  const first = Date.parse(origin as string);
  return instantText(first + Math.floor((Date.parse(at as string) - first) / length) * length);
}

export const TIME_FUNCTIONS: Readonly<Record<string, readonly Signature[]>> = {
  date_trunc: [
    is(['text', 'timestamp'], 'timestamp', truncateTo),
    is(['text', 'timestamp', 'text'], 'timestamp', truncateIn),
  ],
  extract: [is(['text', 'timestamp'], 'numeric', extract), is(['text', 'interval'], 'numeric', extractSpan)],
  date_part: [
    is(['text', 'timestamp'], 'float', (field, value) => Number(extract(field, value))),
    is(['text', 'interval'], 'float', (field, value) => Number(extractSpan(field, value))),
  ],
  age: [is(['timestamp', 'timestamp'], 'interval', age)],
  date_bin: [is(['interval', 'timestamp', 'timestamp'], 'timestamp', bin)],
  make_date: [is(['integer', 'integer', 'integer'], 'date', makeDate)],
  to_timestamp: [is(['float'], 'timestamp', (seconds) => instantText(Math.round((seconds as number) * 1000)))],
};
