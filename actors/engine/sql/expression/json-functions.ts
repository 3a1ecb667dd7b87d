/** Functions of JSON with fixed arguments; those that take any values are in `special-functions.ts`. Each has both of PostgreSQL's names. */
import { burn } from '#actors/kit/pace/fuel.ts';
import { SqlFault } from '../fault.ts';
import type { Value } from '../type.ts';
import { isObject, measured, memberOf, type Json } from '../value/json.ts';
import { isHollow, placeOf, withMember } from './json-operators.ts';
import { is, type Signature } from './signature.ts';

function lengthOf(value: Value): number {
  if (Array.isArray(value)) return value.length;
  throw new SqlFault(`cannot get array length of a ${isObject(value) ? 'non-array' : 'scalar'}`);
}

function kindOf(value: Value): string {
  if (Array.isArray(value)) return 'array';
  return value === null ? 'null' : typeof value;
}

/** The value without the names whose value is null, at all levels. */
function stripped(value: Json): Json {
  burn(1);
  if (Array.isArray(value)) return value.map((one) => stripped(one as Json));
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([, one]) => one !== null);
  return Object.fromEntries(kept.map(([name, one]) => [name, stripped(one)]));
}

/** `jsonb_set`: the value with another one at a path. The last step may be new, where `create` says so. */
function put(value: Json, path: readonly (string | null)[], to: Json, create: boolean): Json {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (step === null) throw new SqlFault('path element is null');
  if (typeof value !== 'object' || value === null) throw new SqlFault('cannot set path in scalar');
  const key = Array.isArray(value) ? placeOf(step) : step;
  const known = memberOf(value, key);
  if (rest.length > 0) {
    const isContainer = typeof known === 'object' && known !== null;
    return isContainer ? withMember(value, key, put(known, rest, to, create)) : value;
  }
  if (known !== undefined) return withMember(value, key, to);
  if (!create) return value;
  if (!Array.isArray(value)) return withMember(value, key, to);
  burn(value.length);
  return (key as number) < 0 ? [to, ...(value as Json[])] : [...(value as Json[]), to];
}

const length = [is(['json'], 'integer', lengthOf)];
const kind = [is(['json'], 'text', kindOf)];
const strip = [is(['json'], 'json', (value) => stripped(measured(value as Json)))];

export const JSON_FUNCTIONS: Readonly<Record<string, readonly Signature[]>> = {
  jsonb_array_length: length,
  json_array_length: length,
  jsonb_typeof: kind,
  json_typeof: kind,
  jsonb_strip_nulls: strip,
  json_strip_nulls: strip,
  jsonb_set: [
    is(['json', 'text[]', 'json'], 'json', (value, path, to) =>
      measured(put(value as Json, path as string[], to as Json, true)),
    ),
    is(['json', 'text[]', 'json', 'boolean'], 'json', (value, path, to, create) =>
      measured(
        create !== true && isHollow(value as Json)
          ? (value as Json)
          : put(value as Json, path as string[], to as Json, create === true),
      ),
    ),
  ],
};
