/** Values as jq writes them: JSON text, plain text, and the shortened text of its messages. */
import { limits } from '#config/limits.ts';
import { burn, burnChars } from '../pace/fuel.ts';
import { Unsure } from './faults.ts';
import { isArray, typeName } from './json.ts';
import type { Json } from './value.ts';

/**
 * A number as text. jq keeps the spelling of a number that it only passed on and formats one that it calculated; where the two
 * would differ from JavaScript's text the value alone does not say which it is.
 */
export function checkSpelling(value: number): void {
  const size = Math.abs(value);
  const isPlain = size === 0 ? !Object.is(value, -0) : size >= 1e-4 && size < 1e17;
  if (!isPlain) throw new Unsure('the text of an unusual number');
}

/** Deeper values are left to jq, which has bounds of its own: 10,000 levels, or a full stack. */
const DEPTH_MAX = 256;
const NUMBER_CHARS_MAX = 25;

/**
 * Burns what the JSON of a value costs, and gives the most characters that it can have: a part that is shared within the value counts as
 * often as it is written. `check` is called with each number.
 */
export function measureJson(value: Json, check: (number: number) => void, depth = 0): number {
  burn(1);
  if (typeof value === 'string') return measureText(value);
  if (typeof value === 'number') {
    check(value);
    return NUMBER_CHARS_MAX;
  }
  if (typeof value !== 'object' || value === null) return 5;
  if (depth === DEPTH_MAX) throw new Unsure('a value that is too deep');
  let chars = 2;
  if (isArray(value)) for (const item of value) chars += measureJson(item, check, depth + 1) + 1;
  else for (const key of Object.keys(value)) chars += measureText(key) + measureJson(value[key]!, check, depth + 1) + 2;
  return chars;
}

// oxlint-disable-next-line no-control-regex
const UNESCAPED = /^[^\u0000-\u001f"\\\ud800-\udfff]*$/;
const ESCAPE_CHARS_MAX = 6;

/** Up to so many characters a text counts as if each were an escape: examining it would cost more than it saves. */
const SHORT_CHARS = 24;

/** A text in JSON: at worst each character is an escape. */
function measureText(text: string): number {
  const { length } = text;
  if (length <= SHORT_CHARS) {
    burnChars(length + 2);
    return length * ESCAPE_CHARS_MAX + 2;
  }
  const chars = length * (UNESCAPED.test(text) ? 1 : ESCAPE_CHARS_MAX) + 2;
  burnChars(chars);
  return chars;
}

/** Burns what a text of so many characters costs, before it is made. One that is too long is left to jq, whose memory has a bound. */
export function payText(chars: number): void {
  burnChars(chars + 16);
  checkLength(chars);
}

export function checkLength(chars: number): void {
  if (chars > limits.expressions.textCharsMax) throw new Unsure('a text that is too long');
}

export function jsonText(value: Json): string {
  checkLength(measureJson(value, checkSpelling));
  const text = JSON.stringify(value);
  // jq escapes DEL, and JavaScript does not.
  if (text.includes('\u007f')) throw new Unsure('the escape of DEL');
  return text;
}

/** `tostring`: a text stays itself. */
export function plainText(value: Json): string {
  return typeof value === 'string' ? value : jsonText(value);
}

const DUMP_BYTES_MAX = 29;
const CLOSERS: Readonly<Partial<Record<string, string>>> = { string: '"', array: ']', object: '}' };

/** `type (value)` as messages show it: at most 29 bytes of the value, its end left out. */
export function describe(value: Json): string {
  const type = typeName(value);
  const text = jsonText(value);
  if (text.length <= DUMP_BYTES_MAX && isAscii(text)) return `${type} (${text})`;
  const bytes = Buffer.from(text);
  if (bytes.length <= DUMP_BYTES_MAX) return `${type} (${text})`;
  const closer = CLOSERS[type] ?? '';
  const room = DUMP_BYTES_MAX - 3 - closer.length;
  return `${type} (${cutBytes(bytes, room)}...${closer})`;
}

export function isAscii(text: string): boolean {
  // oxlint-disable-next-line no-control-regex
  return !/[^\x00-\x7f]/.test(text);
}

/** The first bytes, without half a character. */
function cutBytes(bytes: Buffer, room: number): string {
  let end = room;
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}

const SURROGATES = /[\ud800-\udfff]/;

/** Code points of a text; most texts have no others than their UTF-16 units. */
export function codePoints(text: string): readonly string[] {
  burn(text.length);
  return SURROGATES.test(text) ? Array.from(text) : text.split('');
}

export function codePointLength(text: string): number {
  burnChars(text.length);
  return SURROGATES.test(text) ? codePoints(text).length : text.length;
}
