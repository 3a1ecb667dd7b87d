/** Values as jq writes them: JSON text, plain text, and the shortened text of its messages. */
import { Unsure } from './faults.ts';
import { burn } from '../fuel.ts';
import { typeName } from './json.ts';
import type { Json } from './value.ts';

/**
 * A number as text. jq keeps the spelling of a number that it only passed on and formats one that it calculated; where the two
 * would differ from JavaScript's text the value alone does not say which it is.
 */
function checkNumber(value: number): void {
  const size = Math.abs(value);
  const isPlain = size === 0 ? !Object.is(value, -0) : size >= 1e-4 && size < 1e17;
  if (!isPlain) throw new Unsure('the text of an unusual number');
}

function checkNumbers(value: Json): void {
  burn(1);
  if (typeof value === 'number') checkNumber(value);
  else if (typeof value === 'string') burn(value.length >> 4);
  else if (Array.isArray(value)) for (const item of value) checkNumbers(item as Json);
  else if (typeof value === 'object' && value !== null) for (const item of Object.values(value)) checkNumbers(item);
}

/** DEL is escaped by jq and not by JavaScript. */
function checkEscapes(text: string): string {
  burn(text.length >> 4);
  if (text.includes('\u007f')) throw new Unsure('the escape of DEL');
  return text;
}

export function jsonText(value: Json): string {
  checkNumbers(value);
  return checkEscapes(JSON.stringify(value));
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

function isAscii(text: string): boolean {
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
  return SURROGATES.test(text) ? codePoints(text).length : text.length;
}
