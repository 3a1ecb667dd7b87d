/** `-> ->> #> #>> @> <@ ? ?| ?& || - #-` of JSON: those of PostgreSQL's jsonb. */
import { burn, burnChars } from '#actors/kit/pace/fuel.ts';
import type { Place } from '../context.ts';
import { SqlFault } from '../fault.ts';
import type { SqlType, Value } from '../type.ts';
import { contains, isObject, measured, memberOf, partAt, plainText, type Json } from '../value/json.ts';
import { coerce } from './coerce.ts';
import { strict, type Expr } from './expr.ts';

interface Operation {
  /** The types that its right side may have; the first one is that of a text without a type. */
  readonly takes: readonly SqlType[];
  readonly gives: SqlType;
  readonly compute: (value: Json, right: Value) => Value;
}

const path = (value: Json, right: Value): Json | undefined => partAt(value, right as (string | null)[]);

/** A plain value is its own first and last place, as jsonb has it. */
function member(value: Json, right: Value): Json | undefined {
  const isPlain = typeof value !== 'object' || value === null;
  return isPlain && (right === 0 || right === -1) ? value : memberOf(value, right as string | number);
}

const OPERATIONS: Readonly<Record<string, Operation>> = {
  '->': { takes: ['text', 'integer'], gives: 'json', compute: (value, right) => asValue(member(value, right)) },
  '->>': { takes: ['text', 'integer'], gives: 'text', compute: (value, right) => plainText(member(value, right)) },
  '#>': { takes: ['text[]'], gives: 'json', compute: (value, right) => asValue(path(value, right)) },
  '#>>': { takes: ['text[]'], gives: 'text', compute: (value, right) => plainText(path(value, right)) },
  '@>': { takes: ['json'], gives: 'boolean', compute: (value, right) => contains(value, right as Json) },
  '<@': { takes: ['json'], gives: 'boolean', compute: (value, right) => contains(right as Json, value) },
  '?': { takes: ['text'], gives: 'boolean', compute: (value, right) => hasName(value, right as string) },
  '?|': {
    takes: ['text[]'],
    gives: 'boolean',
    compute: (value, right) => namesIn(right).some((name) => hasName(value, name)),
  },
  '?&': {
    takes: ['text[]'],
    gives: 'boolean',
    compute: (value, right) => namesIn(right).every((name) => hasName(value, name)),
  },
  '||': { takes: ['json'], gives: 'json', compute: (value, right) => joined(value, right as Json) },
  '-': { takes: ['text', 'integer', 'text[]'], gives: 'json', compute: without },
  '#-': {
    takes: ['text[]'],
    gives: 'json',
    compute: (value, right) => (isHollow(value) ? value : withoutPath(value, right as string[])),
  },
};

/** JSON's null is a value of its own in PostgreSQL; here it is SQL's null. */
function asValue(value: Json | undefined): Json {
  return value ?? null;
}

function namesIn(list: Value): string[] {
  return (list as (string | null)[]).filter((name) => name !== null);
}

/** Whether a text is a name of an object, or a text of an array. */
function hasName(value: Json, name: string): boolean {
  if (Array.isArray(value)) {
    burn(value.length);
    return value.includes(name);
  }
  return isObject(value) ? Object.hasOwn(value, name) : value === name;
}

/** Two objects become one, in which names of the second count; anything else becomes an array. */
function joined(a: Json, b: Json): Json {
  const [one, two] = [a, b];
  if (isObject(one) && isObject(two)) return measured({ ...one, ...two });
  const listed = (value: Json): readonly Json[] => (Array.isArray(value) ? (value as readonly Json[]) : [value]);
  return measured([...listed(one), ...listed(two)]);
}

function without(value: Json, right: Value): Json {
  if (typeof value !== 'object' || value === null) throw new SqlFault('cannot delete from scalar');
  if (typeof right === 'number') {
    if (!Array.isArray(value)) throw new SqlFault('cannot delete from object using integer index');
    const at = right < 0 ? value.length + right : right;
    return copied(value).filter((_, i) => i !== at);
  }
  const names = new Set(Array.isArray(right) ? namesIn(right) : [right as string]);
  if (Array.isArray(value)) return copied(value).filter((one) => typeof one !== 'string' || !names.has(one));
  burn(Object.keys(value).length);
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.has(name)));
}

function copied(list: Json): readonly Json[] {
  burn((list as readonly Json[]).length);
  return list as readonly Json[];
}

function withoutPath(value: Json, steps: readonly (string | null)[]): Json {
  if (typeof value !== 'object' || value === null) throw new SqlFault('cannot delete path in scalar');
  const [step, ...rest] = steps;
  if (step === undefined || step === null) return value;
  const key = Array.isArray(value) ? placeOf(step) : step;
  const found = memberOf(value, key);
  if (found === undefined) return value;
  if (rest.length === 0) return without(value, key);
  if (typeof found !== 'object' || found === null) return value;
  return withMember(value, key, withoutPath(found, rest));
}

/** Whether a value is an array or object without members. PostgreSQL looks at no path into one, so that no step of it can be wrong. */
export function isHollow(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const members = Array.isArray(value) ? value.length : Object.keys(value).length;
  burn(members);
  return members === 0;
}

/** A step of a path through an array. */
export function placeOf(step: string): number {
  if (/^-?\d{1,9}$/.test(step)) return Number(step);
  throw new SqlFault(`path element is not an integer: "${step}"`);
}

/** A copy of a container with another value at a name or place. */
export function withMember(value: Json, key: string | number, to: Json): Json {
  if (!Array.isArray(value)) {
    burn(Object.keys(value as object).length);
    return { ...(value as object), [key as string]: to };
  }
  const copy = copied(value).slice();
  copy[(key as number) < 0 ? copy.length + (key as number) : (key as number)] = to;
  return copy;
}

/** `||` and `-` are JSON's only where one side is JSON. */
const SHARED: ReadonlySet<string> = new Set(['||', '-']);

export function isJsonOperation(sign: string, a: Expr, b: Expr): boolean {
  if (!Object.hasOwn(OPERATIONS, sign)) return false;
  if (!SHARED.has(sign)) return true;
  return a.type === 'json' || (sign === '||' && b.type === 'json');
}

export function jsonOperation({ statement }: Place, at: number, sign: string, a: Expr, b: Expr): Expr {
  const { takes, gives, compute } = OPERATIONS[sign]!;
  const right = takes.includes(b.type) ? b.type : takes[0]!;
  if (b.type !== 'unknown' && !takes.includes(b.type) && b.type !== 'ulid')
    return statement.fault(at, `there is no json ${sign} ${b.type}`, `its right side is ${takes.join(' or ')}`);
  const parts = [coerce(statement, a, 'json'), coerce(statement, b, right)];
  return strict(gives, at, parts, (value, other) => {
    if (typeof other === 'string') burnChars(other.length);
    return compute(value as Json, other);
  });
}
