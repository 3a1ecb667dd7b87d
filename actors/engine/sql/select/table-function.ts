/** A function in FROM, as a plan: `generate_series(…) with ordinality as g(n, i)`, `jsonb_to_recordset(…) as r(a int, b text)`. */
import type { Node, RangeFunction } from 'libpg-query';
import { limits } from '#config/limits.ts';
import { suggestion } from '#config/values/suggest.ts';
import type { Ctes, StatementContext } from '../context.ts';
import { SqlFault } from '../fault.ts';
import { coerce } from '../expression/coerce.ts';
import type { Expr } from '../expression/expr.ts';
import { placeOf } from '../expression/expression.ts';
import { functionName } from '../expression/functions.ts';
import { typeOf } from '../expression/literal.ts';
import { signatureOf, TABLE_FUNCTIONS } from '../expression/table-functions.ts';
import { open } from '../node.ts';
import { checkKept, type Run, type Steps } from '../run.ts';
import { listOf, type SqlType, type Value } from '../type.ts';
import { fromText } from '../value/cast.ts';
import { isObject, plainText, type Json } from '../value/json.ts';
import { Level } from './level.ts';
import { NO_TUPLE, type Output, type Plan } from './relation.ts';

interface Columns {
  readonly columns: readonly { readonly name: string | null; readonly type: SqlType }[];
  readonly rows: (...values: Value[]) => Iterable<readonly Value[]>;
}

export interface FunctionRelation {
  readonly plan: Plan;
  readonly name: string;
  /** Whether its name stands for its value, too. */
  readonly isScalar: boolean;
}

/** `level`: the select in whose FROM it stands; its arguments may read relations before it. */
export function functionOf(
  statement: StatementContext,
  level: Level,
  ctes: Ctes,
  node: RangeFunction,
): FunctionRelation {
  statement.only(node, ['lateral', 'ordinality', 'functions', 'alias', 'coldeflist']);
  const [item, ...more] = node.functions ?? [];
  const call = item !== undefined && 'List' in item ? item.List.items?.[0] : undefined;
  if (call === undefined || !('FuncCall' in call) || more.length > 0)
    return statement.unsupported(
      node,
      `a ${call === undefined ? 'RangeFunction' : open(call)[0]} in FROM`,
      'write one function',
    );
  const name = functionName(call) ?? '';
  const at = call.FuncCall.location ?? 0;
  statement.only(call.FuncCall, ['funcname', 'args', 'funcformat']);
  const inner = new Level(level);
  const place = placeOf(statement, inner, ctes, 'a function in FROM');
  const args = (call.FuncCall.args ?? []).map(place.expr);
  if (inner.subqueries.length > 0) statement.unsupported(call, 'a subquery in a function of FROM', 'select it before');
  const { given, columns, rows } = callOf(statement, at, name, args, node.coldeflist ?? []);
  const named = columns.map((column) => ({ ...column, name: column.name ?? node.alias?.aliasname ?? name }));
  const all = node.ordinality === true ? [...named, { name: 'ordinality', type: 'integer' as const }] : named;
  const outputs = all.map(({ name: column, type }): Output => ({ name: column, type, integral: false, narrow: false }));
  return {
    plan: new FunctionPlan(outputs, inner, given, rows, node.ordinality === true),
    name,
    isScalar: columns.length === 1 && (node.coldeflist ?? []).length === 0,
  };
}

function callOf(
  statement: StatementContext,
  at: number,
  name: string,
  args: readonly Expr[],
  definitions: readonly Node[],
): Columns & { readonly given: Expr[] } {
  if (RECORDS.has(name)) return recordsOf(statement, at, name, args, definitions);
  if (!Object.hasOwn(TABLE_FUNCTIONS, name))
    return statement.fault(
      at,
      `there is no function ${name} that gives rows`,
      suggestion(name, [...Object.keys(TABLE_FUNCTIONS), ...RECORDS]),
    );
  const { takes, columns, rows } = signatureOf(statement, at, name, args);
  return { columns, rows, given: args.map((arg, i) => coerce(statement, arg, takes[i]!)) };
}

const RECORDS: ReadonlySet<string> = new Set([
  'jsonb_to_recordset',
  'json_to_recordset',
  'jsonb_to_record',
  'json_to_record',
]);

/** Objects as rows, with the columns that the statement declares. */
function recordsOf(
  statement: StatementContext,
  at: number,
  name: string,
  args: readonly Expr[],
  definitions: readonly Node[],
): Columns & { readonly given: Expr[] } {
  if (args.length !== 1 || definitions.length === 0)
    return statement.fault(at, `${name} takes a JSON value and needs columns`, `write ${name}(…) as r(a int, b text)`);
  const columns = definitions.flatMap((one) => {
    if (!('ColumnDef' in one)) return [];
    const { type, isList } = typeOf(statement, one.ColumnDef.typeName!, at);
    return { name: one.ColumnDef.colname ?? '', type: isList ? listOf(type) : type };
  });
  const isMany = name.endsWith('set');
  const rows = function* (value: Value): Iterable<readonly Value[]> {
    if (isMany && !Array.isArray(value)) throw new SqlFault(`cannot call ${name} on a non-array`);
    for (const one of (isMany ? value : [value]) as Json[]) {
      if (!isObject(one)) throw new SqlFault(`${name} takes objects`);
      yield columns.map(({ name: column, type }) => fieldOf(Object.hasOwn(one, column) ? one[column]! : null, type));
    }
  };
  return { columns, rows, given: [coerce(statement, args[0]!, 'json')] };
}

function fieldOf(value: Json, type: SqlType): Value {
  if (type === 'json' || value === null) return value;
  if (Array.isArray(value) && type.endsWith('[]'))
    return value.map((one) => fieldOf(one as Json, type.slice(0, -2) as SqlType));
  return fromText(type, plainText(value)!);
}

class FunctionPlan implements Plan {
  readonly columns: readonly Output[];
  readonly outerDepths: ReadonlySet<number>;
  readonly outerReads: Plan['outerReads'];
  readonly #args: readonly Expr[];
  readonly #rows: Columns['rows'];
  readonly #numbered: boolean;

  constructor(
    columns: readonly Output[],
    level: Level,
    args: readonly Expr[],
    rows: Columns['rows'],
    numbered: boolean,
  ) {
    this.columns = columns;
    this.outerDepths = level.outerDepths;
    this.outerReads = level.outerReads;
    this.#args = args;
    this.#rows = rows;
    this.#numbered = numbered;
  }

  *prepare(): Steps<void> {}

  *rows(run: Run): Steps<Value[][]> {
    const values = this.#args.map((arg) => arg.evaluate(NO_TUPLE, run));
    if (values.includes(null)) return [];
    const all: Value[][] = [];
    for (const made of this.#rows(...values)) {
      const row = this.#numbered ? [...made, all.length + 1] : [...made];
      run.hold(row);
      all.push(row);
      checkKept(all.length);
      if (run.pace.isSpent || (all.length % limits.sql.strideRows === 0 && run.spend(limits.sql.strideRows))) yield;
    }
    return all;
  }
}
