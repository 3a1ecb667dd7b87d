/** Reads the members of a submission from its bytes. Content types are an allowlist. Spec: docs/contract/intake.md §4.1. */
import { bodyText, parseJson } from '#actors/kit/json.ts';
import type { Body } from '#actors/protocol/frame.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import type { BodyLimits, Input } from './input.ts';
import { parseUrlencoded } from './parse-urlencoded.ts';
import { readMultipart } from './read-multipart.ts';
import { refuse, type IntakeRefusalCode } from './refusals.ts';

type Read<C extends IntakeRefusalCode> = Input | Refusal<C>;
/** A multipart body is read over several turns. */
type ReadInput = (
  body: Body,
  limits: BodyLimits,
  contentType: string,
) => Read<'intake.bad_request'> | Promise<Read<'intake.bad_request'>>;

const READERS: ReadonlyMap<string, ReadInput> = new Map<string, ReadInput>([
  ['application/json', readJson],
  ['application/x-www-form-urlencoded', readUrlencoded],
  ['multipart/form-data', (body, limits, contentType) => readMultipart(contentType, body, limits)],
]);

const NONE: ReadonlySet<string> = new Set();

type ReadBody = Read<'intake.bad_request' | 'intake.too_large' | 'intake.unsupported_media_type'>;

/**
 * The members of a body. Refuses 415 for a type, charset or content encoding that is not on the list, 413 for a body that is too large, 400 for one
 * that does not parse, is not an object or has too many members.
 */
export function readBody(
  contentType: string | undefined,
  contentEncoding: string | undefined,
  body: Body,
  limits: BodyLimits,
): ReadBody | Promise<ReadBody> {
  const read = readerOf(contentType ?? '', contentEncoding ?? 'identity');
  if (read === null) return refuse('intake.unsupported_media_type');
  if (body.length > limits.bodyBytesMax) return refuse('intake.too_large');
  return read(body, limits, contentType ?? '');
}

function readerOf(contentType: string, contentEncoding: string): ReadInput | null {
  if (contentEncoding.trim().toLowerCase() !== 'identity') return null;
  const [type = '', ...parameters] = contentType.split(';');
  if (!parameters.every(isUtf8)) return null;
  return READERS.get(type.trim().toLowerCase()) ?? null;
}

/** Whether a parameter is allowed: a charset must be UTF-8; other parameters mean nothing to these types. */
function isUtf8(parameter: string): boolean {
  const [name = '', value = ''] = parameter.toLowerCase().split('=', 2);
  return name.trim() !== 'charset' || /^"?utf-?8"?$/.test(value.trim());
}

function readJson(body: Body, { fieldsMax }: BodyLimits): Input | Refusal<'intake.bad_request'> {
  const text = bodyText(body);
  if (text === null) return bad('body is not valid UTF-8');
  if (text === '') return bad('empty body');
  const parsed = parseJson(text);
  if (!parsed.ok) return bad(parsed.fault);
  const { value } = parsed;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return bad('body must be a JSON object');
  if (Object.keys(value).length > fieldsMax) return bad(`more than ${fieldsMax} fields`);
  return { values: value as Record<string, unknown>, asText: false, repeated: NONE };
}

function readUrlencoded(body: Body, { fieldsMax }: BodyLimits): Input | Refusal<'intake.bad_request'> {
  const text =
    typeof body === 'string' ? body : Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1');
  const pairs = parseUrlencoded(text, fieldsMax);
  if (typeof pairs === 'string') return bad(pairs);
  const values = Object.create(null) as Record<string, unknown>;
  const repeated = new Set<string>();
  for (const [name, value] of pairs) {
    if (name in values) repeated.add(name);
    values[name] = value;
  }
  return { values, asText: true, repeated };
}

function bad(message: string): Refusal<'intake.bad_request'> {
  return refuse('intake.bad_request', { message });
}
