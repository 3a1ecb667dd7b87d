/** State shared by the compilers of all kinds of nodes. */
import type { ColumnRef, Node } from 'libpg-query';
import { limits } from '#config/limits.ts';
import type { Aggregation } from './expression/grouping.ts';
import type { Expr, Parameter } from './expression/expr.ts';
import type { Windows } from './expression/windows.ts';
import { NodeReader } from './node.ts';
import type { Places } from './place.ts';
import type { SqlSchema } from './schema.ts';
import type { Level } from './select/level.ts';
import type { Plan } from './select/relation.ts';
import type { SqlType } from './type.ts';

type SelectCompiler = (
  statement: StatementContext,
  node: Node,
  parent: Level | null,
  names: Ctes,
  expected?: readonly SqlType[],
) => Plan;

/** A statement while it is compiled. */
export class StatementContext extends NodeReader {
  readonly schema: SqlSchema;
  readonly parameters: readonly Parameter[];
  readonly entities = new Set<string>();
  #selects = 0;
  /** Compiles a select; given by compile.ts, since selects contain expressions and expressions contain selects. */
  readonly select: (node: Node, parent: Level | null, names: Ctes, expected?: readonly SqlType[]) => Plan;

  constructor(places: Places, schema: SqlSchema, parameters: readonly string[], select: SelectCompiler) {
    super(places);
    this.schema = schema;
    this.parameters = parameters.map((name, i) => ({ name, number: i, type: null, isList: false }));
    this.select = (node, parent, names, expected) => select(this, node, parent, names, expected);
  }

  /** Counts a select, up to a bound: nested selects run one within the other. */
  countSelect(node: object): void {
    if (++this.#selects > limits.sql.selectsMax)
      this.fault(node, `there are more than ${limits.sql.selectsMax} selects`, 'split the statement');
  }
}

/** Common table expressions by name, as far as they can be named at a place. */
export type Ctes = ReadonlyMap<string, Plan>;

/** The surroundings of an expression. */
export interface Place {
  readonly statement: StatementContext;
  readonly level: Level;
  readonly ctes: Ctes;
  /** Collects the aggregates; or, where aggregates are not allowed, the name of the clause. */
  readonly aggregates: Aggregation | string;
  /** Collects the window functions; null where they are not allowed. */
  readonly windows: Windows | null;
  /** Compiles an expression in the same place. */
  readonly expr: (node: Node) => Expr;
  /** Compiles the name of a column; one that is only shown may be masked. */
  readonly column: (node: ColumnRef, isShown: boolean) => Expr;
  /** The same place for the arguments of an aggregate. */
  readonly inside: (clause: string) => Place;
  /** The same place for the arguments of a window function. */
  readonly withoutWindows: () => Place;
}
