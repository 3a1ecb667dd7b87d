/** Trims the ends of a text. */
import { burnChars } from '../pace/fuel.ts';
import { JqError, Unsure } from './faults.ts';
import type { Json } from './value.ts';

export function ends(name: 'startswith' | 'endswith', value: Json, part: Json): boolean {
  if (typeof value !== 'string' || typeof part !== 'string') throw new JqError(`${name}() requires string inputs`);
  burnChars(part.length);
  return name === 'startswith' ? value.startsWith(part) : value.endsWith(part);
}

export function trimLeft(value: Json, part: Json): Json {
  return ends('startswith', value, part) ? (value as string).slice((part as string).length) : value;
}

export function trimRight(value: Json, part: Json): Json {
  if (typeof value !== 'string' || typeof part !== 'string') throw new Unsure('what is no text');
  return ends('endswith', value, part) ? value.slice(0, value.length - part.length) : value;
}

/** Unicode's White_Space, as jq 1.8 has it. */
function isSpace(code: number): boolean {
  if (code <= 0x20) return code === 0x20 || (code >= 9 && code <= 13);
  if (code < 0x2000) return code === 0x85 || code === 0xa0 || code === 0x1680;
  return code <= 0x200a || [0x2028, 0x2029, 0x202f, 0x205f, 0x3000].includes(code);
}

/** Without the white space at the ends that are named. */
export function trimmed(value: Json, left: boolean, right: boolean): Json {
  if (typeof value !== 'string') throw new JqError('trim input must be a string');
  burnChars(value.length);
  let from = 0;
  let to = value.length;
  if (left) while (from < to && isSpace(value.charCodeAt(from))) from++;
  if (right) while (to > from && isSpace(value.charCodeAt(to - 1))) to--;
  return value.slice(from, to);
}
