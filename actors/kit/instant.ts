/** Reading instants back: strict, and fail-closed. */
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
