/** Buckets of dates and instants: the hour, day, week, month or year that a time zone's clocks and calendar show (docs/contract/data.md §5.6.1). */
import { FIELD_TYPES } from '#config/values/field-types.ts';
import { zoneOf, type Zone } from '#actors/kit/zone.ts';
import type { Column } from '../model.ts';
import type { Bucket } from '../query.ts';

export const BUCKET_UNITS = ['hour', 'day', 'week', 'month', 'year'] as const;
export type BucketUnit = (typeof BUCKET_UNITS)[number];

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const FIRST = '0000-01-01';
const LAST = '9999-12-31';

/**
 * The bucket of a stored value: the first day as a date; of an hour its beginning as an instant, since an hour that the clocks show twice
 * is two. Null for null.
 */
export function bucketOf({ unit, zone: name }: Bucket, { type }: Column): (value: unknown) => string | null {
  const cut = unit === 'hour' ? null : unit;
  if (FIELD_TYPES[type].resolution === 'day')
    return (value) => (value === null ? null : dayOf(cut!, Date.parse(`${value as string}T00:00:00Z`)));
  const zone = zoneOf(name)!;
  return (value) => {
    if (value === null) return null;
    const ms = Date.parse(value as string);
    return cut === null ? hourOf(zone, ms) : dayOf(cut, ms + zone.offset(ms));
  };
}

/** Hours begin where the clocks show no minutes, at the offset of the instant itself. */
function hourOf(zone: Zone, ms: number): string {
  const offset = zone.offset(ms);
  return new Date(Math.floor((ms + offset) / HOUR_MS) * HOUR_MS - offset).toISOString();
}

/** The first day of the unit in which a local time lies. Weeks begin on Monday; what begins outside the years 0000 to 9999 is given their edge. */
function dayOf(unit: Exclude<BucketUnit, 'hour'>, local: number): string {
  const day = Math.floor(local / DAY_MS) * DAY_MS;
  const weekday = (new Date(day).getUTCDay() + 6) % 7;
  const text = new Date(unit === 'week' ? day - weekday * DAY_MS : day).toISOString();
  if (text.startsWith('-')) return FIRST;
  if (text.startsWith('+')) return LAST;
  if (unit === 'month') return `${text.slice(0, 7)}-01`;
  return unit === 'year' ? `${text.slice(0, 4)}-01-01` : text.slice(0, 10);
}
