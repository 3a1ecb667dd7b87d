/** Makes the values of a statement's parameters from what a caller sends: typed, complete, and never part of the statement's text. */
import { limits } from '#config/limits.ts';
import type { ActionParameter } from '#config/definitions/product.ts';
import type { FieldFault, Input } from '#actors/kit/field-check.ts';
import { FIELD_TYPES } from '#config/values/field-types.ts';
import { parseExactJson } from '#actors/kit/json.ts';
import { shown } from '#actors/kit/shown.ts';
import { invalid, type Failure } from '#actors/engine/rows/failure.ts';
import { isReserved } from '#actors/engine/rows/parameters.ts';

type Params = Readonly<Record<string, ActionParameter>>;
export type Values = Readonly<Record<string, unknown>>;

/** Keys that choose what is done and are not parameters (docs/contract/data-behaviour.md §2.2: `_method` and `_format` are stripped). */
const STRIPPED: ReadonlySet<string> = new Set(['_method', '_format']);

/** The values in a JSON object; or 422 with every fault under its parameter, which each route answers with its own status. */
export function bindJson(params: Params, given: Input): Values | Failure {
  const read = (name: string): unknown => (Object.hasOwn(given, name) ? given[name] : undefined);
  return bind(params, Object.keys(given), read, ofJson);
}

/** The values in a query string: texts, and lists where a key repeats. A reserved key is ignored unless the action declares it. */
export function bindQuery(params: Params, query: URLSearchParams): Values | Failure {
  const keys = [...new Set(query.keys())].filter((key) => Object.hasOwn(params, key) || !isReserved(key));
  const read = (name: string): unknown => {
    const texts = query.getAll(name);
    if (texts.length === 0) return undefined;
    return params[name]!.list ? texts : texts[0];
  };
  return bind(params, keys, read, ofText);
}

type Convert = (parameter: ActionParameter, value: unknown) => unknown;

function bind(
  params: Params,
  keys: readonly string[],
  read: (name: string) => unknown,
  convert: Convert,
): Values | Failure {
  const faults: FieldFault[] = unknownKeys(params, keys);
  const values: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const [name, parameter] of Object.entries(params)) {
    const given = read(name);
    if (given === undefined || given === null) {
      const value: unknown = given === null ? null : (ofJson(parameter, parameter.default ?? null) ?? null);
      if (value === null && parameter.required) faults.push({ field: name, code: 'required', message: 'is required' });
      values[name] = value;
      continue;
    }
    const value = convert(parameter, given);
    if (value === undefined) faults.push({ field: name, code: 'type', message: `must be ${expected(parameter)}` });
    values[name] = value;
  }
  return faults.length > 0 ? invalid(faults) : values;
}

function unknownKeys(params: Params, keys: readonly string[]): FieldFault[] {
  const unknown = keys.filter((key) => !Object.hasOwn(params, key) && !STRIPPED.has(key));
  return unknown
    .slice(0, limits.data.unknownFieldsMax)
    .map((key) => ({ field: shown(key), code: 'unknown', message: 'is not a parameter' }));
}

const ofJson: Convert = (parameter, value) => {
  const { of } = FIELD_TYPES[parameter.type];
  return converted(parameter, value, of);
};

const ofText: Convert = (parameter, value) => {
  const { ofText: of } = FIELD_TYPES[parameter.type];
  return converted(parameter, value, (text) => (of === null ? jsonOf(text as string) : of(text as string)));
};

function converted({ list }: ActionParameter, value: unknown, of: (value: unknown) => unknown): unknown {
  if (value === null) return null;
  if (!list) return of(value);
  if (!Array.isArray(value)) return undefined;
  const all = value.map((item: unknown) => (item === null ? null : of(item)));
  return all.includes(undefined) ? undefined : all;
}

function jsonOf(text: string): unknown {
  const parsed = parseExactJson(text);
  return parsed.ok ? FIELD_TYPES.json.of(parsed.value) : undefined;
}

function expected({ type, list }: ActionParameter): string {
  return list ? `a list, each ${FIELD_TYPES[type].expected}` : FIELD_TYPES[type].expected;
}
