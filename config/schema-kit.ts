/** The leaves of our schemas. Each describes its values in words, which errors and documents use, too. */
import * as z from 'zod';
import { isHosts, isNetwork, parseBind } from './bind.ts';
import { formatDuration, parseDuration } from './values/duration.ts';

export interface Meta {
  /** What the value must be; the text follows "must be". */
  readonly description: string;
  /** What the key is for, in a few words: documents and JSON Schemas print it, errors do not. */
  readonly about?: string;
  /** An example of a valid value, as a person would write it. */
  readonly example?: string;
  /** Shown as `********` by `config show`, and never quoted in an error. */
  readonly secret?: boolean;
  /** A path: relative to the file that names it. */
  readonly place?: 'path';
  /** The JSON Schema of a shorter way to write the value, which a first step of its schema turns into the long one. */
  readonly short?: Readonly<Record<string, unknown>>;
  /** What the reference says of the whole value, instead of a row for each key below it. */
  readonly whole?: string;
}

/** A key without a value. */
export const EMPTY = { short: { type: 'null' } } as const;

/** A map of declared keys; other keys are refused. A key without a value counts as absent. */
export function section<S extends z.ZodRawShape>(shape: S) {
  return z
    .preprocess((value) => (value === null ? {} : value), z.strictObject(shape))
    .meta(EMPTY)
    .prefault({} as never);
}

/** A map of declared keys that must be written out. */
export function entry<S extends z.ZodRawShape>(shape: S) {
  return z.strictObject(shape);
}

export function text(description: string, example: string) {
  return z.string().min(1).meta({ description, example });
}

export function pattern(expression: RegExp, description: string, example: string) {
  return z.string().regex(expression).meta({ description, example });
}

export function secret(description: string) {
  return z.string().min(1).meta({ description, example: '${NAME}', secret: true });
}

/** A secret that may be empty, which means none. */
export function optionalSecret(description: string) {
  return z.string().default('').meta({ description, example: '${NAME}', secret: true });
}

export function optionalText(description: string, example: string) {
  return z.string().default('').meta({ description, example });
}

export function path(description: string, example: string) {
  return z.string().min(1).meta({ description, example, place: 'path' });
}

/** A whole number within bounds. Errors and generated files recommend `example`, where the lower bound would be a bad recommendation. */
export function whole(min: number, max: number = Number.MAX_SAFE_INTEGER, example = min) {
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  return z
    .int()
    .min(min)
    .max(max)
    .meta({ description: `a whole number ${range}`, example: String(example) });
}

export function positive() {
  return z.number().positive().max(1e9).meta({ description: 'a number above 0', example: '1' });
}

export function yesNo() {
  return z.boolean().meta({ description: 'true or false', example: 'true' });
}

export function oneOf<const V extends readonly [string, ...string[]]>(values: V) {
  return z.enum(values).meta({ description: `one of ${values.join(', ')}`, example: values[0] });
}

/** A duration above zero, of at most so many milliseconds. It stays as written; `durationMs` parses it. */
export function duration(mostMs = Infinity) {
  const within = mostMs === Infinity ? '' : ` of at most ${formatDuration(mostMs)}`;
  return z
    .string()
    .refine((value) => {
      const ms = parseDuration(value) ?? 0;
      return ms > 0 && ms <= mostMs;
    })
    .meta({ description: `a duration above zero${within} in Go notation, with its unit`, example: '25ms' });
}

/** A duration within bounds, both in Go notation. */
export function durationBetween(min: string, max: string) {
  const [least, most] = [parseDuration(min)!, parseDuration(max)!];
  const fits = (value: string): boolean => {
    const ms = parseDuration(value);
    return ms !== null && ms >= least && ms <= most;
  };
  return z
    .string()
    .refine(fits)
    .meta({ description: `a duration from ${min} to ${max} in Go notation, with its unit`, example: min });
}

export function bind() {
  return z
    .string()
    .refine((value) => parseBind(value) !== null)
    .meta({ description: 'an address as host:port', example: '127.0.0.1:8080' });
}

export function network() {
  return z.string().refine(isNetwork).meta({ description: 'an IP address or a CIDR range', example: '10.0.0.0/8' });
}

export function hosts() {
  return z
    .string()
    .refine(isHosts)
    .meta({ description: 'a host, an IP address or a CIDR range, with or without :port', example: '10.0.0.0/8' });
}

export function httpUrl(description = 'an http or https URL') {
  return z.string().refine(isHttpUrl).meta({ description, example: 'https://example.org' });
}

/** A URL that is itself a secret, as chat webhooks are; empty means none. */
export function optionalSecretUrl() {
  const taken = (value: string): boolean => value === '' || value.startsWith('vault:') || isHttpUrl(value);
  const meta = { description: 'an http or https URL', example: '${NAME}', secret: true };
  return z.string().refine(taken).default('').meta(meta);
}

export function list<T extends z.ZodType>(item: T, what: string) {
  return z.array(item).meta({ description: `a list of ${what}`, example: '[]' });
}

export function isHttpUrl(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol } = new URL(value);
  return protocol === 'http:' || protocol === 'https:';
}
