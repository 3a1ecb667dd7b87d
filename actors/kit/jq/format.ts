/** The `@` formats (jq manual, "Format strings and escaping"). */
import { JqError, Unsure } from './faults.ts';
import { burn } from '../fuel.ts';
import { isArray } from './json.ts';
import type { Json } from './value.ts';
import { describe, jsonText, plainText } from './text.ts';

export type Format = (value: Json) => string;

const HTML: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '&': '&amp;', "'": '&#39;', '"': '&quot;' };

function html(value: Json): string {
  return plainText(value).replace(/[<>&'"]/g, (char) => HTML[char]!);
}

/** RFC 3986's unreserved characters stay. */
function uri(value: Json): string {
  return encodeURIComponent(plainText(value)).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function row(value: Json, name: string, separator: string, cell: (text: string) => string): string {
  if (!isArray(value)) throw new JqError(`${describe(value)} cannot be ${name}-formatted, only array`);
  burn(value.length);
  return value
    .map((item) => {
      if (item === null) return '';
      if (typeof item === 'string') return cell(item);
      if (typeof item === 'object') throw new JqError(`${describe(item)} is not valid in a csv row`);
      return jsonText(item);
    })
    .join(separator);
}

const csv: Format = (value) => row(value, 'csv', ',', (text) => `"${text.replaceAll('"', '""')}"`);

const TSV: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '\\': '\\\\' };
const tsv: Format = (value) => row(value, 'tsv', '\t', (text) => text.replace(/[\t\n\r\\]/g, (char) => TSV[char]!));

function sh(value: Json): string {
  return isArray(value) ? value.map(shellWord).join(' ') : shellWord(value);
}

function shellWord(value: Json): string {
  if (typeof value === 'string') return `'${value.replaceAll("'", "'\\''")}'`;
  if (typeof value === 'object' && value !== null) throw new JqError(`${describe(value)} can not be escaped for shell`);
  return jsonText(value);
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** What is not plainly base64 of ASCII text is the reference tier's: it forgives more than one says in a line. */
function base64d(value: Json): string {
  const text = plainText(value);
  const bytes = Buffer.from(text, 'base64');
  if (!BASE64.test(text) || bytes.some((byte) => byte > 0x7f)) throw new Unsure('base64 of another kind');
  return bytes.toString('latin1');
}

/** What decodes to no UTF-8 is the reference tier's. */
function urid(value: Json): string {
  const text = plainText(value);
  if (!/^(?:[^%]|%[0-9A-Fa-f]{2})*$/.test(text)) throw new Unsure('percents of another kind');
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Unsure('percents of another kind');
  }
}

const FORMATS: ReadonlyMap<string, Format> = new Map<string, Format>([
  ['text', plainText],
  ['json', jsonText],
  ['html', html],
  ['uri', uri],
  ['csv', csv],
  ['tsv', tsv],
  ['sh', sh],
  ['base64', (value) => Buffer.from(plainText(value)).toString('base64')],
  ['base64d', base64d],
  ['urid', urid],
]);

export function formatOf(name: string): Format {
  const format = FORMATS.get(name);
  if (format === undefined) throw new Unsure(`the format ${name}`);
  return format;
}
