/** A request as it is filled in: texts in, what leaves out, and what cannot leave yet beside its field. Pure. */
import { readable } from '../frame/search.ts';
import type { Operation, Schema, Taken } from './shapes.ts';

/** What was typed, by the name of the parameter. */
export type Texts = Readonly<Record<string, string>>;

export interface Filled {
  readonly texts: Texts;
  /** The body as JSON, of an operation that takes it in whole. */
  readonly body: string;
}

export interface Request {
  readonly method: string;
  readonly path: string;
  /** Without the `?`. */
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Absent where nothing is sent. */
  readonly body?: unknown;
}

/** Why a text is no value yet: `missing`, or what the reader of JSON says. */
export type Unfilled = Readonly<Record<string, 'missing' | SyntaxError>>;

/** The name under which a fault of the whole body stands. */
export const BODY = ' body';

export const typeOf = ({ schema }: Taken): string => schema['x-type'] ?? schema.type ?? typeWithin(schema) ?? 'json';

/** The type beside null. */
const typeWithin = ({ anyOf = [] }: Schema): string | undefined =>
  anyOf.map(({ type }) => type).find((type) => type !== undefined && type !== 'null');

export const isJson = (type: string): boolean =>
  type === 'json' || type === 'object' || type === 'array' || type.endsWith('[]');

/** What leaves, as far as everything that it needs is there. */
export function requestOf(operation: Operation, { texts, body }: Filled): { request: Request; unfilled: Unfilled } {
  const unfilled: Record<string, 'missing' | SyntaxError> = {};
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  const members: Record<string, unknown> = {};
  let { path } = operation;
  for (const one of operation.takes) {
    const text = texts[one.name] ?? '';
    if (text === '') {
      if (one.isRequired) unfilled[one.name] = 'missing';
      continue;
    }
    try {
      if (one.in === 'path') path = path.replace(`{${one.name}}`, encodeURIComponent(text));
      else if (one.in === 'header') headers[one.name] = text;
      else if (one.in === 'query') for (const part of partsOf(one, text)) query.append(part[0], part[1]);
      else members[one.name] = valueOf(one, text);
    } catch (error) {
      unfilled[one.name] = error as SyntaxError;
    }
  }
  const whole = operation.body === null ? membersBody(operation, members) : wholeBody(body, unfilled);
  return { request: { method: operation.method, path, query: readable(query), headers, ...whole }, unfilled };
}

const membersBody = ({ takes }: Operation, members: Readonly<Record<string, unknown>>) =>
  takes.some((one) => one.in === 'body') ? { body: members } : {};

function wholeBody(text: string, unfilled: Record<string, 'missing' | SyntaxError>): { readonly body?: unknown } {
  if (text.trim() === '') return {};
  try {
    return { body: JSON.parse(text) as unknown };
  } catch (error) {
    unfilled[BODY] = error as SyntaxError;
    return {};
  }
}

/** The values that are filled in, as JSON; those that are none yet are left out. */
export function valuesOf({ takes }: Operation, texts: Texts): Readonly<Record<string, unknown>> {
  const values: Record<string, unknown> = {};
  for (const one of takes)
    try {
      const text = texts[one.name] ?? '';
      if (text !== '') values[one.name] = valueOf(one, text);
    } catch {
      // What is no JSON stands beside its field.
    }
  return values;
}

/** A list is a key that repeats; an object has keys of its own. */
function partsOf(one: Taken, text: string): (readonly [string, string])[] {
  const type = typeOf(one);
  if (type === 'object')
    return Object.entries(JSON.parse(text) as object).map(([name, value]) => [name, asText(value)] as const);
  if (type !== 'array' && !type.endsWith('[]')) return [[one.name, text]];
  return [JSON.parse(text) as unknown].flat().map((value) => [one.name, asText(value)] as const);
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** A text that is no value of the type is sent as it is: the node says in its words what is wrong with it. */
function valueOf(one: Taken, text: string): unknown {
  const type = typeOf(one);
  if (isJson(type)) return JSON.parse(text);
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  if (type === 'number' || type === 'integer') return numberOf(text);
  return text;
}

/** A text that a number would not hold whole stays one. */
function numberOf(text: string): number | string {
  const value = Number(text);
  const isWhole = Number.isFinite(value) && (Number.isSafeInteger(value) || !/^-?\d+$/.test(text.trim()));
  return text.trim() !== '' && isWhole ? value : text;
}

/** A body to begin with: what is required, empty. */
export function bodyOf({ body }: Operation): string {
  if (body === null) return '';
  const members = (body.required ?? []).map((name) => [name, emptyOf(body.properties?.[name] ?? {})]);
  return JSON.stringify(Object.fromEntries(members), null, 2);
}

function emptyOf({ type, default: fallback, enum: choices }: Schema): unknown {
  if (fallback !== undefined) return fallback;
  if (choices?.[0] !== undefined) return choices[0];
  return { string: '', number: 0, integer: 0, boolean: false, array: [], object: {} }[type ?? ''] ?? null;
}
