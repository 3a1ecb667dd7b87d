/** Literals, parameters, casts and the names of types. */
import type { A_Const, Node, ParamRef, SQLValueFunction, TypeCast, TypeName } from 'libpg-query';
import { timestamp } from '#actors/kit/clock.ts';
import type { Place, StatementContext } from '../context.ts';
import { SqlFault } from '../fault.ts';
import { textsOf } from '../node.ts';
import { listOf, type ScalarType, type SqlType, type Value } from '../type.ts';
import { fromText } from '../value/cast.ts';
import { round } from '../value/numeric.ts';
import { burnText } from '../value/text-cost.ts';
import { cast, parameterOf } from './coerce.ts';
import { strict, type Evaluate, type Expr } from './expr.ts';
import { left } from './text-functions.ts';

export function constant(type: SqlType, at: number, evaluate: Evaluate): Expr {
  return { type, at, uses: 0, outer: false, aggregated: false, evaluate };
}

export function literalOf({ statement }: Place, node: A_Const): Expr {
  const at = node.location ?? 0;
  if (node.isnull === true) return { ...constant('unknown', at, () => null), untyped: { text: null } };
  if (node.sval !== undefined) {
    const text = node.sval.sval ?? '';
    return { ...constant('unknown', at, () => text), untyped: { text } };
  }
  if (node.boolval !== undefined) {
    const value = node.boolval.boolval === true;
    return constant('boolean', at, () => value);
  }
  if (node.ival !== undefined) {
    const value = node.ival.ival ?? 0;
    return { ...constant('integer', at, () => value), narrow: true };
  }
  if (node.fval === undefined) return statement.unsupported(at, 'a bit string', 'use a number or a text');
  return numberOf(statement, at, node.fval.fval ?? '0');
}

/** A number beyond 32 bits, which the parser gives as a float: an integer if it fits into 64 bits. */
function numberOf(statement: StatementContext, at: number, text: string): Expr {
  const type =
    /^[+-]?\d+$/.test(text) && BigInt(text) >= -(2n ** 63n) && BigInt(text) < 2n ** 63n ? 'integer' : 'numeric';
  try {
    const value = fromText(type, text);
    return constant(type, at, () => value);
  } catch (error) {
    if (!(error instanceof SqlFault)) throw error;
    return statement.fault(at, error.message, 'write the number with digits and a point');
  }
}

export function parameterRef({ statement }: Place, node: ParamRef): Expr {
  const parameter = statement.parameters[(node.number ?? 0) - 1];
  const at = node.location ?? 0;
  if (parameter === undefined) return statement.fault(at, 'a parameter without a name', 'write :name');
  if (parameter.isList)
    return statement.fault(at, `:${parameter.name} is a list`, `write = any(:${parameter.name}), or use another name`);
  const evaluate = parameterOf(parameter);
  if (parameter.type !== null) return constant(parameter.type, at, evaluate);
  return { ...constant('unknown', at, evaluate), untyped: { parameter } };
}

/** How statements spell each type, as the parser gives it; none where a cast to it says nothing. */
const SPELLINGS: Readonly<Record<Exclude<ScalarType, 'unknown'>, readonly string[]>> = {
  integer: ['int2', 'int4', 'int8'],
  numeric: ['numeric'],
  float: ['float4', 'float8'],
  text: ['text', 'varchar'],
  boolean: ['bool'],
  date: ['date'],
  timestamp: ['timestamp', 'timestamptz'],
  interval: ['interval'],
  uuid: ['uuid'],
  bytes: ['bytea'],
  ulid: [],
  json: ['jsonb', 'json'],
};

const TYPES: ReadonlyMap<string, Exclude<ScalarType, 'unknown'>> = new Map(
  Object.entries(SPELLINGS).flatMap(([type, names]) =>
    names.map((name) => [name, type as Exclude<ScalarType, 'unknown'>] as const),
  ),
);

const RANGES: Readonly<Record<string, readonly [number, string]>> = {
  int2: [2 ** 15, 'smallint'],
  int4: [2 ** 31, 'integer'],
};

export interface NamedType {
  readonly type: Exclude<ScalarType, 'unknown'>;
  readonly name: string;
  readonly isList: boolean;
  readonly modifiers: readonly number[];
}

export function typeOf(statement: StatementContext, node: TypeName, at: number): NamedType {
  statement.only(node, ['names', 'typmods', 'typemod', 'arrayBounds']);
  const name = textsOf(node.names).at(-1) ?? '';
  const type = TYPES.get(name);
  if (type === undefined)
    return statement.unsupported(node.location ?? at, `the type ${name}`, `use one of ${[...TYPES.keys()].join(', ')}`);
  const modifiers = (node.typmods ?? []).map((one) => modifierOf(statement, one));
  const known = (name === 'numeric' && modifiers.length <= 2) || (name === 'varchar' && modifiers.length <= 1);
  if (modifiers.length > 0 && !known)
    return statement.unsupported(node.location ?? at, `${name}(${modifiers.join(', ')})`, `write ${name}`);
  return { type, name, isList: (node.arrayBounds ?? []).length > 0, modifiers };
}

function modifierOf(statement: StatementContext, node: Node): number {
  if ('A_Const' in node && node.A_Const.ival !== undefined) return node.A_Const.ival.ival ?? 0;
  return statement.unsupported(node, 'this type modifier', 'write a number');
}

export function castOf(place: Place, node: TypeCast): Expr {
  const { statement } = place;
  const at = node.location ?? 0;
  const named = typeOf(statement, node.typeName!, at);
  const given = place.expr(node.arg!);
  if (named.isList) return { ...cast(statement, given, listOf(named.type)), narrow: false };
  const made = cast(statement, given, named.type);
  const limit = limitOf(named);
  const narrow = Object.hasOwn(RANGES, named.name);
  return limit === null ? { ...made, narrow } : strict(named.type, at, [made], limit, { narrow });
}

/** The conversion to a narrow type, such as `smallint` or `varchar(3)`, from its wide type; null where there is none. */
function limitOf({ name, modifiers }: NamedType): ((value: Value) => Value) | null {
  const range = RANGES[name];
  if (range !== undefined) {
    const [most, shown] = range;
    return (value) => {
      if (typeof value === 'number' && value >= -most && value < most) return value;
      throw new SqlFault(`${shown} out of range`);
    };
  }
  const [first, scale = 0] = modifiers;
  if (first === undefined) return null;
  if (name === 'varchar')
    return (value) => {
      burnText((value as string).length);
      return left(value, first);
    };
  return (value) => {
    const rounded = round(value as string, scale);
    if (rounded.replace(/^-/, '').replace(/\..*$/, '').replace(/^0+/, '').length <= first - scale) return rounded;
    throw new SqlFault(`numeric field overflow: more than ${first - scale} digits before the point`);
  };
}

/** `current_date`, `current_timestamp` and its kin: one instant for the whole statement. */
export function valueFunction({ statement }: Place, node: SQLValueFunction): Expr {
  const at = node.location ?? 0;
  if (node.op === 'SVFOP_CURRENT_DATE') return constant('date', at, (_, run) => timestamp(run.startMs).slice(0, 10));
  if (node.op === 'SVFOP_CURRENT_TIMESTAMP' || node.op === 'SVFOP_LOCALTIMESTAMP')
    return constant('timestamp', at, (_, run) => timestamp(run.startMs));
  return statement.unsupported(at, 'this value', 'use current_date, current_timestamp or a parameter');
}
