/** Dates (jq manual, "Dates") for whole seconds of the years 1 to 9999 and for formats that mean the same everywhere; the others are left to the reference tier. */
import { Unsure } from './faults.ts';
import { burn } from '../pace/fuel.ts';
import { isArray } from './json.ts';
import { payText } from './text.ts';
import type { Json } from './value.ts';

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const ISO = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)Z$/;
const DAY_MS = 86_400_000;
const FIRST_SECOND = -62_135_596_800;
const LAST_SECOND = 253_402_300_799;

/** `[year, month from 0, day, hours, minutes, seconds, day of the week, day of the year from 0]`. */
export function gmtime(value: Json): Json {
  if (typeof value !== 'number' || !Number.isInteger(value)) throw new Unsure('a time of another kind');
  if (value < FIRST_SECOND || value > LAST_SECOND) throw new Unsure('a distant time');
  burn(8);
  const date = new Date(value * 1000);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  const yearDay = Math.round((startOf(year, month, day) - startOf(year, 0, 1)) / DAY_MS);
  return [year, month, day, date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds(), date.getUTCDay(), yearDay];
}

export function mktime(value: Json): Json {
  const [year, month, day, hours, minutes, seconds] = partsOf(value);
  const time = startOf(year!, month!, day!) / 1000 + hours! * 3600 + minutes! * 60 + seconds!;
  // C's timegm() says so of a time that is none, too.
  if (time === -1) throw new Unsure('the second before the epoch');
  return time;
}

export function fromIso(value: Json): Json {
  return mktime(strptime(value, '%Y-%m-%dT%H:%M:%SZ'));
}

export function strptime(value: Json, format: Json): Json {
  const parts = typeof value === 'string' && format === '%Y-%m-%dT%H:%M:%SZ' ? ISO.exec(value) : null;
  if (parts === null) throw new Unsure('a time in another form');
  const [year, month, day, hours, minutes, seconds] = parts.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const time = startOf(year, month - 1, day) / 1000 + hours * 3600 + minutes * 60 + seconds;
  const shown = gmtime(time) as Json[];
  const written = [year, month - 1, day, hours, minutes, seconds];
  if (written.some((part, at) => part !== shown[at])) throw new Unsure('a time that is none');
  return shown;
}

const FORMATS: Readonly<Record<string, (parts: readonly number[]) => string>> = {
  Y: ([year]) => String(year),
  m: ([, month]) => two(month! + 1),
  d: ([, , day]) => two(day!),
  H: ([, , , hours]) => two(hours!),
  M: (parts) => two(parts[4]!),
  S: (parts) => two(parts[5]!),
  Z: () => 'UTC',
  A: (parts) => DAYS[parts[6]!]!,
  a: (parts) => DAYS[parts[6]!]!.slice(0, 3),
  B: ([, month]) => MONTHS[month!]!,
  b: ([, month]) => MONTHS[month!]!.slice(0, 3),
  j: (parts) => String(parts[7]! + 1).padStart(3, '0'),
  '%': () => '%',
};

export function strftime(value: Json, format: Json): Json {
  if (typeof format !== 'string') throw new Unsure('a format of another kind');
  const parts = partsOf(typeof value === 'number' ? gmtime(value) : value);
  if (parts.length < 8 || parts[0]! < 1000) throw new Unsure('a time of another kind');
  // Two characters of a format may become nine.
  burn(format.length / 2);
  payText(format.length * 5);
  return format.replace(/%(.?)/gs, (_, key: string) => {
    const show = Object.hasOwn(FORMATS, key) ? FORMATS[key] : undefined;
    if (show === undefined) throw new Unsure('a format of another kind');
    return show(parts);
  });
}

export function toIso(value: Json): Json {
  return strftime(value, '%Y-%m-%dT%H:%M:%SZ');
}

const TOPS = [9999, 11, 31, 23, 59, 59, 6, 365];

/** Broken-down time whose parts are in range: libraries correct other ones in different ways. */
function partsOf(value: Json): readonly number[] {
  if (!isArray(value) || value.length < 6) throw new Unsure('a time of another kind');
  const parts = value.slice(0, 8) as number[];
  const fits = (part: unknown, at: number): boolean =>
    Number.isInteger(part) && (part as number) >= (at === 2 ? 1 : 0) && (part as number) <= TOPS[at]!;
  if (!parts.every(fits)) throw new Unsure('a time of another kind');
  return parts;
}

function startOf(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month, day);
}

function two(part: number): string {
  return String(part).padStart(2, '0');
}
