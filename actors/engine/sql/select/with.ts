/** WITH: the names that it adds; WITH RECURSIVE: a select whose second part reads the rows that it gave before. */
import type { CommonTableExpr, Node, SelectStmt, WithClause } from 'libpg-query';
import { shown } from '#actors/kit/shown.ts';
import type { Ctes, StatementContext } from '../context.ts';
import { checkKept, eachRow, type Run, type Steps } from '../run.ts';
import { isComparable, type Value } from '../type.ts';
import { implicit } from '../value/cast.ts';
import { rowKeyOf } from '../value/compare.ts';
import { charsOf } from '../value/text-cost.ts';
import { withNames } from './from.ts';
import type { Output, Plan } from './relation.ts';

/** The names that WITH adds. */
export function withCtes(statement: StatementContext, node: WithClause | undefined, outer: Ctes): Ctes {
  if (node === undefined) return outer;
  const ctes = new Map(outer);
  const here = new Set<string>();
  for (const item of node.ctes ?? []) {
    if (!('CommonTableExpr' in item)) continue;
    const { CommonTableExpr: cte } = item;
    statement.only(cte, ['ctename', 'ctequery', 'ctematerialized', 'aliascolnames']);
    const name = cte.ctename ?? '';
    if (here.has(name)) statement.fault(item, `the name ${shown(name)} is given twice`, 'rename one of them');
    here.add(name);
    const isRecursive = node.recursive === true && reads(cte.ctequery, name);
    ctes.set(
      name,
      isRecursive
        ? recursive(statement, cte, ctes)
        : namedPlan(statement, cte, statement.select(cte.ctequery!, null, ctes)),
    );
  }
  return ctes;
}

function namedPlan(statement: StatementContext, cte: CommonTableExpr, plan: Plan): Plan {
  const names = (cte.aliascolnames ?? []).flatMap((one) => ('String' in one ? (one.String.sval ?? '') : []));
  return withNames(statement, plan, names, cte);
}

/** Whether a node names a relation. */
function reads(node: unknown, name: string): boolean {
  return countOf(node, name) > 0;
}

function countOf(node: unknown, name: string): number {
  if (typeof node !== 'object' || node === null) return 0;
  const own = 'RangeVar' in node && (node.RangeVar as { relname?: string }).relname === name ? 1 : 0;
  return Object.values(node).reduce<number>((sum, one) => sum + countOf(one, name), own);
}

function recursive(statement: StatementContext, cte: CommonTableExpr, ctes: Ctes): Plan {
  const name = cte.ctename ?? '';
  const node = unionOf(statement, cte);
  const first = namedPlan(statement, cte, statement.select({ SelectStmt: node.larg! }, null, ctes));
  const working = new WorkingRows(first.columns);
  const next = statement.select({ SelectStmt: node.rarg! }, null, new Map(ctes).set(name, working));
  if (next.columns.length !== first.columns.length)
    statement.fault(
      cte,
      'both parts of a recursive query must have as many columns',
      'select the same columns in both',
    );
  const converts = first.columns.map(({ type, name: column }, i) => {
    const convert = implicit(next.columns[i]!.type, type);
    return (
      convert ??
      statement.fault(
        cte,
        `${column} is ${type} in the first part and ${next.columns[i]!.type} in the second`,
        `cast it: … :: ${type}`,
      )
    );
  });
  const odd = node.all === true ? undefined : first.columns.find(({ type }) => !isComparable(type));
  if (odd !== undefined) statement.unsupported(cte, `comparing ${odd.type}`, 'write UNION ALL, or leave it out');
  const columns = first.columns.map((column, i) => ({
    ...column,
    integral: column.integral && next.columns[i]!.integral,
    narrow: column.narrow && next.columns[i]!.narrow,
  }));
  return new RecursivePlan(columns, first, working, next, converts, node.all === true);
}

function unionOf(statement: StatementContext, cte: CommonTableExpr): SelectStmt {
  const node: Node | undefined = cte.ctequery;
  const name = shown(cte.ctename ?? '');
  if (node === undefined || !('SelectStmt' in node) || node.SelectStmt.op !== 'SETOP_UNION')
    return statement.fault(
      cte,
      `recursive query ${name} does not have the form non-recursive-term UNION [ALL] recursive-term`,
      'write it so',
    );
  const { SelectStmt: union } = node;
  if (
    union.sortClause !== undefined ||
    union.limitCount !== undefined ||
    union.limitOffset !== undefined ||
    union.withClause !== undefined
  )
    statement.unsupported(cte, 'ORDER BY, LIMIT or WITH in a recursive query', 'write it in the select that reads it');
  if (countOf(union.rarg, cte.ctename ?? '') > 1)
    statement.fault(cte, `recursive reference to query ${name} must not appear more than once`, 'join it once');
  return union;
}

/** The rows that the last round of a recursion gave. */
class WorkingRows implements Plan {
  readonly columns: readonly Output[];
  readonly outerDepths: ReadonlySet<number> = new Set();
  readonly outerReads: Plan['outerReads'] = new Map();

  constructor(columns: readonly Output[]) {
    this.columns = columns;
  }

  *prepare(): Steps<void> {}

  *rows(run: Run): Steps<Value[][]> {
    if (run.spend(1)) yield;
    return run.kept.get(this) as Value[][];
  }
}

class RecursivePlan implements Plan {
  readonly columns: readonly Output[];
  readonly outerDepths: ReadonlySet<number> = new Set();
  readonly outerReads: Plan['outerReads'] = new Map();
  readonly #first: Plan;
  readonly #working: WorkingRows;
  readonly #next: Plan;
  readonly #converts: readonly ((value: Value) => Value)[];
  readonly #all: boolean;

  constructor(
    columns: readonly Output[],
    first: Plan,
    working: WorkingRows,
    next: Plan,
    converts: readonly ((value: Value) => Value)[],
    all: boolean,
  ) {
    this.columns = columns;
    this.#first = first;
    this.#working = working;
    this.#next = next;
    this.#converts = converts;
    this.#all = all;
  }

  *prepare(run: Run): Steps<void> {
    yield* this.rows(run);
  }

  /** Rounds, until one gives no new row. Each new row counts as held, so that a recursion without an end is refused. */
  *rows(run: Run): Steps<Value[][]> {
    const known = run.kept.get(this) as Value[][] | undefined;
    if (known !== undefined) return known;
    const isNew = this.#all ? null : this.#newcomers(run);
    let last = yield* this.#taken(run, yield* this.#first.rows(run), isNew);
    const all = [...last];
    while (last.length > 0) {
      const found = yield* this.#round(run, last);
      last = yield* this.#taken(run, found, isNew);
      checkKept(all.length + last.length);
      for (const row of last) all.push(row);
    }
    run.kept.set(this, all);
    return all;
  }

  /** One round: what selects kept of the round before is forgotten, since they read other rows now. */
  *#round(run: Run, working: Value[][]): Steps<Value[][]> {
    const before = new Set(run.kept.keys());
    run.kept.set(this.#working, working);
    const found = yield* run.passing(() => this.#next.rows(run));
    const converted = found.map((row) => row.map((value, i) => (value === null ? null : this.#converts[i]!(value))));
    for (const key of run.kept.keys()) if (!before.has(key)) run.kept.delete(key);
    if (run.spend(1)) yield;
    return converted;
  }

  *#taken(run: Run, rows: readonly Value[][], isNew: ((row: Value[]) => boolean) | null): Steps<Value[][]> {
    const kept: Value[][] = [];
    yield* eachRow(run, rows, (row) => {
      if (isNew !== null && !isNew(row)) return;
      run.hold(row);
      kept.push(row);
    });
    return kept;
  }

  /** UNION: whether a row is met for the first time. */
  #newcomers(run: Run): (row: Value[]) => boolean {
    const keyOf = rowKeyOf(this.columns.map(({ type }) => type));
    const seen = new Set<unknown>();
    return (row) => {
      const key = keyOf(row);
      if (seen.has(key)) return false;
      run.keep(charsOf(key));
      seen.add(key);
      return true;
    };
  }
}
