/** Judges of single values, one for each kind that a field type names: the value as it is stored and shown, or undefined. */
import { isUlid, isUuid } from './id.ts';
import { isNumberText } from './decimal.ts';
import { calendarDate, instant } from './instant.ts';
import { LongNumber } from './long-number.ts';

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const MIDNIGHT = 'T00:00:00.000Z';

export function text(value: unknown): unknown {
  return typeof value === 'string' ? value : undefined;
}

export function truth(value: unknown): unknown {
  return typeof value === 'boolean' ? value : undefined;
}

export function truthOfText(given: string): unknown {
  return given === 'true' ? true : given === 'false' ? false : undefined;
}

/** A finite double; a number with more digits is rounded. */
export function finite(given: unknown): unknown {
  const value = given instanceof LongNumber ? Number(given) : given;
  return typeof value === 'number' && Number.isFinite(value) ? value + 0 : undefined;
}

export function finiteOfText(given: string): unknown {
  return isNumberText(given) ? finite(Number(given)) : undefined;
}

/** The date of an instant at midnight in UTC: a date can hold no other. */
export function dateOfMidnight(given: string): string | undefined {
  return given.endsWith(MIDNIGHT) ? given.slice(0, -MIDNIGHT.length) : undefined;
}

/** A date as the instant that it begins with in UTC. */
export function midnightOf(given: string): string | undefined {
  return calendarDate(given) === undefined ? undefined : given + MIDNIGHT;
}

/** The day of an instant that is written in UTC. */
export function dayOf(given: string): string {
  return given.slice(0, 10);
}

/** An instant as a field stores it, from one that is written in UTC. */
export function storedInstant(given: string): string {
  return instant(given) ?? given;
}

/** A ULID in upper case. */
export function ulid(value: unknown): unknown {
  const upper = typeof value === 'string' && value.length === 26 ? value.toUpperCase() : '';
  return isUlid(upper) ? upper : undefined;
}

/** A UUID in lower case. */
export function uuid(value: unknown): unknown {
  return typeof value === 'string' && isUuid(value) ? value.toLowerCase() : undefined;
}

/** Padded standard base64 in its one canonical form, so that equal bytes are equal text. */
export function base64(value: unknown): unknown {
  if (typeof value !== 'string' || value.length % 4 !== 0 || !BASE64.test(value)) return undefined;
  return Buffer.from(value, 'base64').toString('base64') === value ? value : undefined;
}

/** The key of a row, of whatever type its entity's key is. */
export function anyKey(value: unknown): unknown {
  return typeof value === 'string' || Number.isSafeInteger(value) ? value : undefined;
}

/** The value with its long numbers as doubles; undefined where a number is beyond them, which JSON would show as null. */
export function plainJson(value: unknown): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof LongNumber) return plainJson(Number(value));
  const members = value as Record<string, unknown>;
  for (const key of Object.keys(members)) {
    const member = members[key];
    const plain = plainJson(member);
    if (plain === undefined) return undefined;
    if (plain !== member) members[key] = plain;
  }
  return value;
}
