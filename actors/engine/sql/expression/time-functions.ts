/** Functions of instants, in UTC. */
import { shown } from '#actors/kit/shown.ts';
import { SqlFault } from '../fault.ts';
import type { Value } from '../type.ts';
import { round } from '../value/numeric.ts';

const UNITS = ['year', 'month', 'day', 'hour', 'minute', 'second'] as const;
/** By unit: how many characters of an instant stay, and the text that follows them. */
const KEPT: Readonly<Record<string, readonly [number, string]>> = {
  year: [4, '-01-01T00:00:00.000Z'],
  month: [7, '-01T00:00:00.000Z'],
  day: [10, 'T00:00:00.000Z'],
  hour: [13, ':00:00.000Z'],
  minute: [16, ':00.000Z'],
  second: [19, '.000Z'],
};
const DAY_MS = 86_400_000;

export function truncateTo(unit: Value, instant: Value): string {
  const name = (unit as string).toLowerCase();
  const text = instant as string;
  const kept = KEPT[name];
  if (kept !== undefined) return text.slice(0, kept[0]) + kept[1];
  const day = Date.parse(`${text.slice(0, 10)}T00:00:00Z`);
  if (name === 'week') return new Date(day - weekdayOf(day) * DAY_MS).toISOString();
  if (name !== 'quarter') throw unknownUnit(unit);
  const first = Math.floor((Number(text.slice(5, 7)) - 1) / 3) * 3 + 1;
  return `${text.slice(0, 5)}${String(first).padStart(2, '0')}-01T00:00:00.000Z`;
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
