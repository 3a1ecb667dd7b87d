/** Dates and instants as texts, read strictly: a text that is none is undefined, or NaN, so that every comparison with it is false. */
const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const LONG_FRACTION = /\.\d{10}/;
const RFC3339 =
  /^\d{4}-\d\d-\d\d[Tt](?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

const DAY_MS = 24 * 60 * 60 * 1000;
const SECOND_MS = 1000;

/**
 * Milliseconds of an RFC 3339 §5.6 date-time; NaN for anything else, so that every comparison with it is false. Hours end at 23. A leap
 * second is the last of a day in UTC, and counts as the first of the next: clocks here have no other place for it.
 */
export function instantMs(value: unknown): number {
  if (typeof value !== 'string' || !RFC3339.test(value)) return NaN;
  if (value.slice(17, 19) !== '60') return Date.parse(value);
  const before = Date.parse(`${value.slice(0, 17)}59${value.slice(19)}`);
  return (before + SECOND_MS) % DAY_MS < SECOND_MS ? before + SECOND_MS : NaN;
}

/** The date when it exists in the proleptic Gregorian calendar, else undefined. */
export function calendarDate(value: unknown): string | undefined {
  const parts = typeof value === 'string' ? DATE.exec(value) : null;
  if (parts === null) return undefined;
  const year = Number(parts[1]);
  const month = Number(parts[2]);
  const day = Number(parts[3]);
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  if (month < 1 || month > 12 || day < 1 || day > DAYS[month - 1]! || (month === 2 && day === 29 && !leap))
    return undefined;
  return parts[0];
}

/** An RFC 3339 instant as UTC with milliseconds; undefined when it is none or leaves the years 0000 to 9999. */
export function instant(value: unknown): string | undefined {
  if (typeof value !== 'string' || calendarDate(value.slice(0, 10)) === undefined || LONG_FRACTION.test(value))
    return undefined;
  const ms = instantMs(value[10] === ' ' ? `${value.slice(0, 10)}T${value.slice(11)}` : value);
  if (Number.isNaN(ms)) return undefined;
  const utc = new Date(ms).toISOString();
  return utc.length === 24 ? utc : undefined;
}
