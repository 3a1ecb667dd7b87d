/** `+ - * / %`, `||` and signs, each in the common type of its sides. */
import type { Place } from '../context.ts';
import { commonType, isNumber, isText, type SqlType, type Value } from '../type.ts';
import * as float from '../value/float.ts';
import * as integer from '../value/integer.ts';
import type { Integer } from '../value/integer.ts';
import { added, between, instantText, moved, opposite, times, type Interval } from '../value/interval.ts';
import * as numeric from '../value/numeric.ts';
import { cast, coerce } from './coerce.ts';
import { strict, type Expr } from './expr.ts';
import { bounded, burnDigits } from '../value/text-cost.ts';

type Two = (a: Value, b: Value) => Value;
const ofIntegers = (compute: (a: Integer, b: Integer) => Integer): Two => compute as Two;
/** Burns fuel for exact decimals of up to a thousand digits: the work grows with the product of their lengths. */
const ofDigits =
  (compute: (a: string, b: string) => string): Two =>
  (a, b) => {
    burnDigits((a as string).length + (b as string).length);
    return compute(a as string, b as string);
  };
const ofFloats =
  (compute: (a: number, b: number) => number): Two =>
  (a, b) =>
    float.finite(compute(a as number, b as number));

const NUMBERS: Readonly<Record<string, Readonly<Partial<Record<SqlType, Two>>>>> = {
  '+': { integer: ofIntegers(integer.add), numeric: ofDigits(numeric.add), float: ofFloats((a, b) => a + b) },
  '-': { integer: ofIntegers(integer.subtract), numeric: ofDigits(numeric.subtract), float: ofFloats((a, b) => a - b) },
  '*': { integer: ofIntegers(integer.multiply), numeric: ofDigits(numeric.multiply), float: ofFloats((a, b) => a * b) },
  '/': { integer: ofIntegers(integer.divide), numeric: ofDigits(numeric.divide), float: ofFloats(float.divide) },
  '%': { integer: ofIntegers(integer.modulo), numeric: ofDigits(numeric.modulo) },
};

const DAY_MS = 86_400_000;
const dayOf = (date: Value): number => Date.parse(`${String(date)}T00:00:00Z`) / DAY_MS;
const dateOf = (day: number): string => instantText(day * DAY_MS).slice(0, 10);

interface Timed {
  readonly gives: SqlType;
  readonly compute: Two;
}

/** Operations on dates and instants, by `left sign right`. */
const TIMES: Readonly<Record<string, Timed>> = {
  'date + integer': { gives: 'date', compute: (a, b) => dateOf(dayOf(a) + Number(b)) },
  'integer + date': { gives: 'date', compute: (a, b) => dateOf(dayOf(b) + Number(a)) },
  'date - integer': { gives: 'date', compute: (a, b) => dateOf(dayOf(a) - Number(b)) },
  'date - date': { gives: 'integer', compute: (a, b) => dayOf(a) - dayOf(b) },
  'timestamp + interval': { gives: 'timestamp', compute: (a, b) => moved(a as string, b as Interval) },
  'interval + timestamp': { gives: 'timestamp', compute: (a, b) => moved(b as string, a as Interval) },
  'timestamp - interval': { gives: 'timestamp', compute: (a, b) => moved(a as string, opposite(b as Interval)) },
  'date + interval': { gives: 'timestamp', compute: (a, b) => moved(`${String(a)}T00:00:00.000Z`, b as Interval) },
  'date - interval': {
    gives: 'timestamp',
    compute: (a, b) => moved(`${String(a)}T00:00:00.000Z`, opposite(b as Interval)),
  },
  'timestamp - timestamp': { gives: 'interval', compute: (a, b) => between(a as string, b as string) },
  'timestamp - date': { gives: 'interval', compute: (a, b) => between(a as string, `${String(b)}T00:00:00.000Z`) },
  'date - timestamp': { gives: 'interval', compute: (a, b) => between(`${String(a)}T00:00:00.000Z`, b as string) },
  'interval + interval': { gives: 'interval', compute: (a, b) => added(a as Interval, b as Interval) },
  'interval - interval': { gives: 'interval', compute: (a, b) => added(a as Interval, opposite(b as Interval)) },
  'interval * integer': { gives: 'interval', compute: (a, b) => times(a as Interval, Number(b)) },
  'integer * interval': { gives: 'interval', compute: (a, b) => times(b as Interval, Number(a)) },
};

export const SIGNS: ReadonlySet<string> = new Set(Object.keys(NUMBERS));

export function calculate({ statement }: Place, at: number, sign: string, a: Expr, b: Expr): Expr {
  const timed = timedOf(a, sign, b);
  if (timed !== null) {
    const [left, right, { gives, compute }] = timed;
    const parts = [coerce(statement, a, left), coerce(statement, b, right)];
    return strict(gives, at, parts, compute, { narrow: gives === 'integer' });
  }
  const common = commonType(a.type, b.type);
  const type = common === 'unknown' ? 'integer' : common;
  const compute = type === null ? undefined : NUMBERS[sign]?.[type];
  if (type === null || compute === undefined)
    return statement.fault(at, `there is no ${a.type} ${sign} ${b.type}`, 'cast one of the sides');
  const narrow = a.narrow === true && b.narrow === true;
  return strict(type, at, [coerce(statement, a, type), coerce(statement, b, type)], compute, { narrow });
}

/** The operation on instants or spans. A side without a type takes the type that the other side needs. */
function timedOf(a: Expr, sign: string, b: Expr): readonly [SqlType, SqlType, Timed] | null {
  const fits = (side: Expr, type: SqlType, other: Expr): boolean =>
    side.type === type || (side.type === 'unknown' && (other.type === 'timestamp' || other.type === 'interval'));
  for (const [form, timed] of Object.entries(TIMES)) {
    const [left, between, right] = form.split(' ') as [SqlType, string, SqlType];
    if (between === sign && fits(a, left, b) && fits(b, right, a)) return [left, right, timed];
  }
  return null;
}

export function signed({ statement }: Place, at: number, sign: string, arg: Expr): Expr {
  const type = arg.type === 'unknown' ? 'integer' : arg.type;
  const given = coerce(statement, arg, type);
  if (!isNumber(type)) return statement.fault(at, `there is no ${sign} ${type}`, 'cast it to a number');
  if (sign === '+') return given;
  if (type === 'integer')
    return strict(type, at, [given], (value) => integer.negate(value as Integer), { narrow: given.narrow === true });
  if (type === 'numeric') return strict(type, at, [given], (value) => numeric.negate(value as string));
  return strict(type, at, [given], (value) => 0 - (value as number));
}

/** Concatenates two texts; one side may be of any type that converts to text. */
export function concatenate({ statement }: Place, at: number, a: Expr, b: Expr): Expr {
  const hasText = [a, b].some(({ type }) => isText(type) || type === 'unknown');
  if (!hasText) return statement.fault(at, `there is no ${a.type} || ${b.type}`, 'cast one of them to text');
  const texts = [cast(statement, a, 'text'), cast(statement, b, 'text')];
  return strict('text', at, texts, (left, right) => {
    bounded((left as string).length + (right as string).length);
    return `${left as string}${right as string}`;
  });
}
