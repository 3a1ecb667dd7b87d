/** The `@` formats (jq manual, "Format strings and escaping"). */
import { JqError, Unsure } from './faults.ts';
import { burn, burnChars } from '../pace/fuel.ts';
import { isArray } from './json.ts';
import type { Json } from './value.ts';
import { checkLength, describe, jsonText, payText, plainText } from './text.ts';

export type Format = (value: Json) => string;

/** What a character becomes; jq writes NUL as a backslash and a zero in each of these. */
type Table = Readonly<Record<string, string>>;

const HTML: Table = { '\0': '\\0', '<': '&lt;', '>': '&gt;', '&': '&amp;', "'": '&apos;', '"': '&quot;' };
const CSV: Table = { '\0': '\\0', '"': '""' };
const TSV: Table = { '\0': '\\0', '\t': '\\t', '\n': '\\n', '\r': '\\r', '\\': '\\\\' };
const SHELL: Table = { '\0': '\\0', "'": "'\\''" };

/** The text with its characters replaced; it burns for the result first. */
function escaped(text: string, table: Table): string {
  burnChars(text.length);
  let chars = text.length;
  for (const char in table) {
    for (let at = text.indexOf(char); at >= 0; at = text.indexOf(char, at + 1)) {
      burn(1);
      chars += table[char]!.length - 1;
    }
  }
  payText(chars);
  return chars === text.length ? text : text.replace(PATTERNS.get(table)!, (char) => table[char]!);
}

/** One pattern for the characters of each table. */
const PATTERNS: ReadonlyMap<Table, RegExp> = new Map([
  // oxlint-disable-next-line no-control-regex
  [HTML, /[\0<>&'"]/g],
  // oxlint-disable-next-line no-control-regex
  [CSV, /[\0"]/g],
  // oxlint-disable-next-line no-control-regex
  [TSV, /[\0\t\n\r\\]/g],
  // oxlint-disable-next-line no-control-regex
  [SHELL, /[\0']/g],
]);

function html(value: Json): string {
  return escaped(plainText(value), HTML);
}

/** RFC 3986's unreserved characters stay; each byte of the others takes three characters. */
function uri(value: Json): string {
  const text = plainText(value);
  burnChars(text.length);
  const bytes = Buffer.byteLength(text);
  burn(bytes / 4);
  payText(bytes * 3);
  if (!text.isWellFormed()) throw new Unsure('half a character');
  return encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

function row(value: Json, name: string, separator: string, cell: (text: string) => string): string {
  if (!isArray(value)) throw new JqError(`${describe(value)} cannot be ${name}-formatted, only array`);
  burn(value.length);
  let chars = 0;
  const cells = value.map((item) => {
    const text = cellOf(item, cell);
    checkLength((chars += text.length + separator.length));
    return text;
  });
  payText(chars);
  return cells.join(separator);
}

function cellOf(item: Json, cell: (text: string) => string): string {
  if (item === null) return '';
  if (typeof item === 'string') return cell(item);
  if (typeof item === 'object') throw new JqError(`${describe(item)} is not valid in a csv row`);
  return jsonText(item);
}

const csv: Format = (value) => row(value, 'csv', ',', (text) => quoted(escaped(text, CSV), '"'));
const tsv: Format = (value) => row(value, 'tsv', '\t', (text) => escaped(text, TSV));

function quoted(text: string, quote: string): string {
  payText(text.length + 2);
  return `${quote}${text}${quote}`;
}

function sh(value: Json): string {
  if (!isArray(value)) return shellWord(value);
  let chars = 0;
  const words = value.map((item) => {
    const word = shellWord(item);
    checkLength((chars += word.length + 1));
    return word;
  });
  payText(chars);
  return words.join(' ');
}

function shellWord(value: Json): string {
  if (typeof value === 'string') return quoted(escaped(value, SHELL), "'");
  if (typeof value === 'object' && value !== null) throw new JqError(`${describe(value)} can not be escaped for shell`);
  return jsonText(value);
}

function base64(value: Json): string {
  const text = plainText(value);
  burnChars(text.length);
  payText(4 * Math.ceil(Buffer.byteLength(text) / 3));
  return Buffer.from(text).toString('base64');
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** All but plain base64 of ASCII text is left to the reference tier, which accepts many deviations. */
function base64d(value: Json): string {
  const text = plainText(value);
  burn(text.length / 4);
  const bytes = Buffer.from(text, 'base64');
  if (!BASE64.test(text) || bytes.some((byte) => byte > 0x7f)) throw new Unsure('base64 of another kind');
  return bytes.toString('latin1');
}

/** Text that does not decode to UTF-8 is left to the reference tier. */
function urid(value: Json): string {
  const text = plainText(value);
  burn(text.length / 4);
  if (!/^(?:[^%]|%[0-9A-Fa-f]{2})*$/.test(text)) throw new Unsure('percents of another kind');
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Unsure('percents of another kind');
  }
}

export const FORMATS: ReadonlyMap<string, Format> = new Map<string, Format>([
  ['text', plainText],
  ['json', jsonText],
  ['html', html],
  ['uri', uri],
  ['csv', csv],
  ['tsv', tsv],
  ['sh', sh],
  ['base64', base64],
  ['base64d', base64d],
  ['urid', urid],
]);

export function formatOf(name: string): Format {
  const format = FORMATS.get(name);
  if (format === undefined) throw new Unsure(`the format ${name}`);
  return format;
}
