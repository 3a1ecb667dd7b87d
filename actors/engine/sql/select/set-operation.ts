/** UNION, INTERSECT and EXCEPT, with and without ALL. */
import type { SelectStmt } from 'libpg-query';
import type { StatementContext } from '../context.ts';
import type { Expr } from '../expression/expr.ts';
import { checkKept, eachRow, type Run, type Steps } from '../run.ts';
import { commonType, isComparable, type Value } from '../type.ts';
import { implicit, type Convert } from '../value/cast.ts';
import { rowKeyOf } from '../value/compare.ts';
import { charsOf } from '../value/text-cost.ts';
import { countOf, once, ordered } from './plan.ts';
import type { Output, Plan } from './relation.ts';
import type { OrderItem } from './sort.ts';

interface Window {
  readonly limit: Expr | null;
  readonly offset: Expr | null;
}

export function setOperation(
  statement: StatementContext,
  node: SelectStmt,
  [left, right]: readonly [Plan, Plan],
  orderOf: (columns: readonly Output[]) => OrderItem[],
  window: Window,
): Plan {
  if (left.columns.length !== right.columns.length)
    statement.fault(node, 'both sides must have as many columns', 'select the same columns on both sides');
  const columns = left.columns.map((column, i) => commonColumn(statement, node, column, right.columns[i]!));
  if (node.op !== 'SETOP_UNION' || node.all !== true) checkComparable(statement, node, columns);
  const sides = [sideOf(left, columns), sideOf(right, columns)] as const;
  return new SetPlan(node.op!, node.all === true, sides, columns, orderOf(columns), window);
}

function commonColumn(statement: StatementContext, node: SelectStmt, a: Output, b: Output): Output {
  const type = commonType(a.type, b.type);
  if (type === null)
    return statement.fault(node, `${a.name} is ${a.type} on one side and ${b.type} on the other`, 'cast one of them');
  return { name: a.name, type, integral: a.integral && b.integral, narrow: a.narrow && b.narrow };
}

function checkComparable(statement: StatementContext, node: SelectStmt, columns: readonly Output[]): void {
  const odd = columns.find(({ type }) => !isComparable(type));
  if (odd !== undefined) statement.unsupported(node, `comparing ${odd.type}`, 'write UNION ALL, or leave it out');
}

interface Side {
  readonly plan: Plan;
  readonly converts: readonly Convert[];
}

function sideOf(plan: Plan, columns: readonly Output[]): Side {
  return { plan, converts: columns.map(({ type }, i) => implicit(plan.columns[i]!.type, type)!) };
}

class SetPlan implements Plan {
  readonly columns: readonly Output[];
  readonly outerDepths: ReadonlySet<number>;
  readonly outerReads: Plan['outerReads'];
  readonly #op: NonNullable<SelectStmt['op']>;
  readonly #all: boolean;
  readonly #sides: readonly [Side, Side];
  readonly #order: readonly OrderItem[];
  readonly #window: Window;

  constructor(
    op: NonNullable<SelectStmt['op']>,
    all: boolean,
    sides: readonly [Side, Side],
    columns: readonly Output[],
    order: readonly OrderItem[],
    window: Window,
  ) {
    this.#op = op;
    this.#all = all;
    this.#sides = sides;
    this.columns = columns;
    this.#order = order;
    this.#window = window;
    this.outerDepths = new Set(sides.flatMap(({ plan }) => [...plan.outerDepths]));
    this.outerReads = new Map(sides.flatMap(({ plan }) => [...plan.outerReads]));
  }

  *prepare(run: Run): Steps<void> {
    for (const { plan } of this.#sides) yield* plan.prepare(run);
    if (this.outerDepths.size === 0) yield* this.rows(run);
  }

  *rows(run: Run): Steps<Value[][]> {
    const known = run.kept.get(this) as Value[][] | undefined;
    if (known !== undefined) return known;
    const [a, b] = this.#sides;
    const all = yield* this.#combined(run, yield* rowsOf(run, a), yield* rowsOf(run, b));
    const rows = yield* ordered(run, all, this.#order);
    const offset = countOf(run, this.#window.offset, 'OFFSET') ?? 0;
    const limit = countOf(run, this.#window.limit, 'LIMIT') ?? Infinity;
    const cut = rows.slice(offset, offset + limit);
    if (this.outerDepths.size === 0) run.kept.set(this, cut);
    return cut;
  }

  *#combined(run: Run, a: Value[][], b: Value[][]): Steps<Value[][]> {
    checkKept(a.length + b.length);
    if (this.#op === 'SETOP_UNION') return this.#all ? [...a, ...b] : yield* once(run, [...a, ...b], this.columns);
    const key = rowKeyOf(this.columns.map(({ type }) => type));
    const counts = new Map<unknown, number>();
    yield* eachRow(run, b, (row) => {
      const known = key(row);
      const seen = counts.get(known);
      if (seen === undefined && this.columns.length > 1) run.keep(charsOf(known));
      counts.set(known, (seen ?? 0) + 1);
    });
    const kept: Value[][] = [];
    yield* eachRow(run, a, (row) => {
      const known = key(row);
      const left = counts.get(known) ?? 0;
      if (this.#all) counts.set(known, left - 1);
      if (this.#op === 'SETOP_INTERSECT' ? left > 0 : left <= 0) kept.push(row);
    });
    return this.#all ? kept : yield* once(run, kept, this.columns);
  }
}

function* rowsOf(run: Run, { plan, converts }: Side): Steps<Value[][]> {
  const rows = yield* plan.rows(run);
  return rows.map((row) => row.map((value, i) => (value === null ? null : converts[i]!(value))));
}
