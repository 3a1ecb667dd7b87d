/** The functions that statements may call, with their types. */
import type { FuncCall, Node } from 'libpg-query';
import { timestamp } from '#actors/kit/clock.ts';
import { suggestion } from '#config/values/suggest.ts';
import type { Place, StatementContext } from '../context.ts';
import { textsOf } from '../node.ts';
import type { Value } from '../type.ts';
import { implicit } from '../value/cast.ts';
import * as float from '../value/float.ts';
import * as integer from '../value/integer.ts';
import type { Integer } from '../value/integer.ts';
import * as numeric from '../value/numeric.ts';
import { cast, coerce, settled } from './coerce.ts';
import { combined, strict, type Expr } from './expr.ts';
import { constant } from './literal.ts';
import { isWindowFunction } from './window-functions.ts';
import { bounded } from '../value/text-cost.ts';
import { JSON_FUNCTIONS } from './json-functions.ts';
import { LIST_FUNCTIONS } from './list-functions.ts';
import { PATTERN_FUNCTIONS } from './pattern-functions.ts';
import { is, type Signature } from './signature.ts';
import { SPECIAL_FUNCTIONS } from './special-functions.ts';
import { TABLE_FUNCTIONS } from './table-functions.ts';
import * as text from './text-functions.ts';
import { TIME_FUNCTIONS } from './time-functions.ts';
import { TO_CHAR } from './to-char.ts';

const float1 = (compute: (value: number) => number): Signature =>
  is(['float'], 'float', (value) => float.finite(compute(value as number)));
const numeric1 = (compute: (value: string) => string): Signature =>
  is(['numeric'], 'numeric', (value) => compute(value as string));
const upper = is(['text'], 'text', (value) => cased((value as string).toUpperCase(), value as string));
const lower = is(['text'], 'text', (value) => cased((value as string).toLowerCase(), value as string));
const length = is(['text'], 'integer', text.lengthOf);
const substring = [
  is(['text', 'integer'], 'text', text.substring),
  is(['text', 'integer', 'integer'], 'text', text.substring),
];
/** Without the wrapper: the search itself burns fuel. */
const position: Signature = { takes: ['text', 'text'], gives: 'integer', compute: text.position };
const ceiling = [float1(Math.ceil), numeric1(numeric.ceiling)];
const trims = (side: text.Side): Signature[] => [
  is(['text'], 'text', (value) => text.trim(value, ' ', side)),
  is(['text', 'text'], 'text', (value, characters) => text.trim(value, characters, side)),
];

/** A text in other case. One character can become three, so a longer result is checked against the bound after it is made. */
function cased(text: string, before: string): string {
  if (text.length > before.length) bounded(text.length);
  return text;
}

/** Signatures by name. The first that fits exactly is used, else the first that fits with conversions. */
export const FUNCTIONS: Readonly<Record<string, readonly Signature[]>> = {
  upper: [upper],
  lower: [lower],
  length: [length],
  char_length: [length],
  character_length: [length],
  octet_length: [is(['text'], 'integer', (value) => Buffer.byteLength(value as string))],
  substring: [...substring, ...PATTERN_FUNCTIONS.substring],
  substr: substring,
  left: [is(['text', 'integer'], 'text', text.left)],
  right: [is(['text', 'integer'], 'text', text.right)],
  btrim: trims('both'),
  ltrim: trims('left'),
  rtrim: trims('right'),
  lpad: [is(['text', 'integer'], 'text', text.padLeft), is(['text', 'integer', 'text'], 'text', text.padLeft)],
  rpad: [is(['text', 'integer'], 'text', text.padRight), is(['text', 'integer', 'text'], 'text', text.padRight)],
  replace: [is(['text', 'text', 'text'], 'text', text.replace)],
  repeat: [is(['text', 'integer'], 'text', text.repeat)],
  reverse: [is(['text'], 'text', text.reverse)],
  split_part: [is(['text', 'text', 'integer'], 'text', text.splitPart)],
  strpos: [position],
  position: [position],
  starts_with: [is(['text', 'text'], 'boolean', (value, start) => (value as string).startsWith(start as string))],
  abs: [
    is(['integer'], 'integer', (value) => (Number(value) < 0 ? integer.negate(value as Integer) : value)),
    float1(Math.abs),
    numeric1((value) => (value.startsWith('-') ? numeric.negate(value) : value)),
  ],
  ceil: ceiling,
  ceiling,
  floor: [float1(Math.floor), numeric1(numeric.floor)],
  round: [
    float1(float.roundEven),
    numeric1((value) => numeric.round(value, 0)),
    is(['numeric', 'integer'], 'numeric', (value, to) => numeric.round(value as string, scaleOf(to))),
  ],
  trunc: [
    float1(Math.trunc),
    numeric1((value) => numeric.truncate(value, 0)),
    is(['numeric', 'integer'], 'numeric', (value, to) => numeric.truncate(value as string, scaleOf(to))),
  ],
  sign: [float1(Math.sign), numeric1((value) => String(numeric.sign(value)))],
  mod: [
    is(['integer', 'integer'], 'integer', (a, b) => integer.modulo(a as Integer, b as Integer)),
    is(['numeric', 'numeric'], 'numeric', (a, b) => numeric.modulo(a as string, b as string)),
  ],
  ...PATTERN_FUNCTIONS.named,
  ...TIME_FUNCTIONS,
  ...JSON_FUNCTIONS,
  ...LIST_FUNCTIONS,
  to_char: TO_CHAR,
};

/** Functions that give a 32-bit integer for any argument; `abs` and `mod` give the type of theirs. */
const NARROW: ReadonlySet<string> = new Set([
  'length',
  'char_length',
  'character_length',
  'octet_length',
  'strpos',
  'position',
  'regexp_count',
  'jsonb_array_length',
  'json_array_length',
]);

const SPECIAL = ['now', 'concat', 'concat_ws', ...Object.keys(SPECIAL_FUNCTIONS)];

/** A scale within PostgreSQL's ±2000 (numeric.c). */
function scaleOf(to: Value): number {
  return Math.max(-2000, Math.min(2000, Number(to)));
}

export function functionCall(place: Place, node: FuncCall): Expr {
  const { statement } = place;
  const at = node.location ?? 0;
  statement.only(node, ['funcname', 'args', 'funcformat']);
  const name = nameOf(statement, node);
  const special = Object.hasOwn(SPECIAL_FUNCTIONS, name)
    ? SPECIAL_FUNCTIONS[name]!(place, at, node.args ?? [], name)
    : null;
  if (special !== null) return special;
  if (Object.hasOwn(TABLE_FUNCTIONS, name) && !Object.hasOwn(FUNCTIONS, name))
    return statement.fault(at, `${name} gives rows`, `write it in FROM: from ${name}(…) as t`);
  if (isWindowFunction(name)) return statement.fault(at, `${name} needs a window`, `write ${name}(…) over (…)`);
  const args = (node.args ?? []).map((arg) => place.expr(arg));
  if (name === 'now' && args.length === 0) return constant('timestamp', at, (_, run) => timestamp(run.startMs));
  if (name === 'concat' || name === 'concat_ws') return concat(statement, at, name, args);
  // A text that is no number is a pattern: substring(name from '[0-9]+').
  const second = args[1]?.untyped;
  if (
    name === 'substring' &&
    args.length === 2 &&
    second !== undefined &&
    'text' in second &&
    Number.isNaN(Number(second.text))
  )
    args[1] = settled(statement, args[1]!);
  const signatures = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
  if (signatures === undefined)
    return statement.fault(
      at,
      `there is no function ${name}`,
      suggestion(name, [...Object.keys(FUNCTIONS), ...SPECIAL]),
    );
  const fitting = signatures.find((one) => fits(one, args, true)) ?? signatures.find((one) => fits(one, args, false));
  if (fitting === undefined) {
    const known = signatures.map(({ takes }) => `${name}(${takes.join(', ')})`).join(' or ');
    return statement.fault(at, `there is no ${name}(${args.map(({ type }) => type).join(', ')})`, `write ${known}`);
  }
  return strict(
    fitting.gives,
    at,
    args.map((arg, i) => coerce(statement, arg, fitting.takes[i]!)),
    fitting.compute,
    { narrow: NARROW.has(name) || args[0]?.narrow === true },
  );
}

function nameOf(statement: StatementContext, node: FuncCall): string {
  const names = textsOf(node.funcname);
  if (names.length > 1 && names[0] !== 'pg_catalog')
    return statement.unsupported(node, `the function ${names.join('.')}`, 'leave out the schema');
  return names.at(-1) ?? '';
}

function fits({ takes }: Signature, args: readonly Expr[], exactly: boolean): boolean {
  if (takes.length !== args.length) return false;
  return args.every(({ type }, i) => {
    const wanted = takes[i]!;
    return type === wanted || type === 'unknown' || (!exactly && implicit(type, wanted) !== null);
  });
}

/** `concat` and `concat_ws`: joins the texts of all arguments that are not null, the latter with a separator. */
function concat(statement: StatementContext, at: number, name: string, args: readonly Expr[]): Expr {
  const texts = args.map((arg) => cast(statement, settled(statement, arg), 'text'));
  const separated = name === 'concat_ws';
  if (texts.length === 0) return statement.fault(at, `${name} takes at least one value`, 'give it one');
  return combined('text', at, texts, (tuple, run) => {
    const values = texts.map((part) => part.evaluate(tuple, run)) as (string | null)[];
    const between = separated ? values.shift()! : '';
    return between === null ? null : joined(values, between);
  });
}

function joined(values: readonly (string | null)[], between: string): string {
  const known = values.filter((value) => value !== null);
  bounded(known.reduce((sum, { length }) => sum + length, Math.max(0, known.length - 1) * between.length));
  return known.join(between);
}

/** The function that a node calls. */
export function functionName(node: Node): string | null {
  return 'FuncCall' in node ? (textsOf(node.FuncCall.funcname).at(-1) ?? null) : null;
}
