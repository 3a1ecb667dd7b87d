/** Files that people might write: values that a schema takes, and what is one mistake away from them. */
import type * as z from 'zod';
import { parse } from 'yaml';
import { definitionOf, isRequired, keysAt, noteOf } from '#config/schema-walk.ts';
import { fc } from '#test/kit/property.ts';

/** Optional keys of a map beside the wanted one: with many, one rule of several keys would refuse nearly every file. */
const OTHERS_MAX = 2;
/** Names of which at least one fits wherever a file takes a name. */
const NAMES = ['city', 'order_line', 'X-Site', 'app.example.org', 'dispatcher', 'main'];

/**
 * Values with the key at the end of `wanted` (a path of the reference), with some other optional keys, and each scalar as its example is. Rules of
 * several keys may still refuse one.
 */
export function writtenFile(schema: z.ZodType, wanted: readonly string[] = []): fc.Arbitrary<unknown> {
  const { type, innerType, in: first, out, options, element, values } = definitionOf(schema);
  const example = noteOf(schema, 'example');
  if (innerType !== undefined) return writtenFile(innerType, wanted).map((value) => orExample(value, example, schema));
  if (type === 'pipe') return writtenFile(definitionOf(first!).type === 'transform' ? out! : first!, wanted);
  if (options !== undefined)
    return fc.oneof(...fitting(options, wanted[0]).map((option) => writtenFile(option, wanted)));
  if (type === 'object' || type === 'record') return writtenMap(schema, wanted);
  if (element !== undefined) {
    const minLength = Math.max(leastOf(schema), wanted.length > 0 ? 1 : 0);
    return fc.array(writtenFile(element, wanted.slice(1)), { minLength, maxLength: 2 });
  }
  if (type === 'unknown') return fc.constantFrom<unknown>('a text', 7, true, ['one'], { key: 'value' });
  if (type === 'boolean') return fc.boolean();
  if (values !== undefined) return fc.constantFrom(...values);
  const entries = (schema.def as unknown as { readonly entries?: Readonly<Record<string, string>> }).entries;
  if (entries !== undefined) return fc.constantFrom(...Object.values(entries));
  const likely = [example === undefined ? 'a text' : (parse(example) as unknown), 'https://example.org'];
  return fc.constant(likely.find((value) => schema.safeParse(value).success) ?? likely[0]);
}

/** The options that know a key; all of them where none does. */
function fitting(options: readonly z.ZodType[], key: string | undefined): readonly z.ZodType[] {
  const found = options.filter((option) => key !== undefined && keysAt(option, []).includes(key));
  return found.length > 0 ? found : options;
}

/** A wrapper may have another example than what it wraps. */
function orExample(value: unknown, example: string | undefined, schema: z.ZodType): unknown {
  if (typeof value !== 'string' || example === undefined || schema.safeParse(value).success) return value;
  return parse(example) as unknown;
}

const leastOf = (schema: z.ZodType): number => {
  const checks = (schema.def as { readonly checks?: readonly z.core.$ZodCheck[] }).checks ?? [];
  const least = checks.map(({ _zod: { def } }) => (def as { readonly minimum?: number }).minimum ?? 0);
  return Math.max(0, ...least);
};

function writtenMap(schema: z.ZodType, [next, ...further]: readonly string[]): fc.Arbitrary<unknown> {
  const { shape = {}, keyType, valueType, catchall } = definitionOf(schema);
  const others = catchall?.def.type === 'never' ? undefined : (catchall ?? valueType);
  const keys = Object.keys(shape);
  const needed = keys.filter((key) => key === next || isRequired(shape[key]!));
  const free = keys.filter((key) => !needed.includes(key));
  const valueOf = (key: string) => writtenFile(shape[key]!, key === next ? further : []);
  const declared = fc
    .subarray(free, { maxLength: Math.min(OTHERS_MAX, free.length) })
    .chain((chosen) => fc.record(Object.fromEntries([...needed, ...chosen].map((key) => [key, valueOf(key)]))));
  if (others === undefined) return declared;
  const names = NAMES.filter((name) => keyType === undefined || keyType.safeParse(name).success);
  const named = fc.dictionary(fc.constantFrom(...names), writtenFile(others, next === '<name>' ? further : []), {
    minKeys: 1,
    maxKeys: 2,
  });
  return fc.tuple(declared, named).map(([one, more]) => ({ ...more, ...one }));
}

export type Place = readonly (string | number)[];

/** Every place in a value, from the outside inwards. */
export function placesIn(value: unknown, at: Place = []): Place[] {
  if (Array.isArray(value)) return [at, ...value.flatMap((item, no) => placesIn(item, [...at, no]))];
  if (typeof value !== 'object' || value === null) return [at];
  return [at, ...Object.entries(value).flatMap(([key, item]) => placesIn(item, [...at, key]))];
}

export function valueAt(value: unknown, place: Place): unknown {
  return place.reduce((at, part) => (at as Record<string | number, unknown>)[part], value);
}

/** A copy with another value at a place. */
export function withValue(value: unknown, [part, ...rest]: Place, other: unknown): unknown {
  if (part === undefined) return other;
  const copy = structuredClone(value) as Record<string | number, unknown>;
  copy[part] = withValue(copy[part], rest, other);
  return copy;
}

/** One value of each type, and an empty key. */
export const OF_EACH_TYPE: readonly unknown[] = [
  'wrong here',
  'ON',
  3,
  -1.5,
  true,
  null,
  [],
  ['x'],
  {},
  { wrong_here: 1 },
];
