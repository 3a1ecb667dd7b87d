/**
 * The indexable part of a rule: comparisons of one field of `row`, or of a row that its references lead to, with a value that does not
 * depend on the row, if every row that the rule admits must meet them. The rule itself is still evaluated for each row.
 */
import { serialize, type ASTNode } from '@marcbachmann/cel-js';
import { OutOfFuel } from './pace/fuel.ts';
import type { Path } from './rule-paths.ts';
import type { RuleScope } from './rule-scope.ts';

export type NarrowingOp = 'eq' | 'lt' | 'lte' | 'gt' | 'gte' | 'in';

export interface Narrowing {
  readonly field: string;
  /** The reference fields that lead to the row of `field`; absent for a field of the row itself. */
  readonly through?: readonly string[];
  readonly op: NarrowingOp;
  /** As CEL gives it: 64-bit integers are bigints. A list for `in`. */
  readonly value: unknown;
}

/** What every row that the rule admits in this scope meets; empty when nothing is known. */
export type Narrow = (scope: RuleScope) => readonly Narrowing[];

type Evaluate = (scope: RuleScope) => unknown;

/** Compiles the text of a part of the rule. */
export type CompilePart = (source: string) => { readonly ast: ASTNode; readonly evaluate: Evaluate } | null;

/** What a part of the rule can be compiled and recognized by. */
export interface Means {
  readonly compile: CompilePart;
  readonly pathOf: (node: ASTNode) => Path | null;
}

type Named = Pick<Narrowing, 'field' | 'through'>;

const NOTHING: readonly Narrowing[] = [];
const COMPARISONS: Readonly<Record<string, NarrowingOp>> = {
  '==': 'eq',
  '<': 'lt',
  '<=': 'lte',
  '>': 'gt',
  '>=': 'gte',
};
const MIRRORED: Readonly<Record<NarrowingOp, NarrowingOp>> = {
  eq: 'eq',
  lt: 'gt',
  lte: 'gte',
  gt: 'lt',
  gte: 'lte',
  in: 'in',
};

/** What narrows the rows of a rule; null when nothing ever does. */
export function narrowingOf(node: ASTNode, means: Means): Narrow | null {
  if (node.op === '&&') return both(narrowingOf(node.args[0], means), narrowingOf(node.args[1], means));
  if (node.op === '||') return either(node, means);
  if (node.op === 'in') return membership(node.args[0], node.args[1], means);
  const flag = namedOf(node, means);
  if (flag !== null) return () => [{ ...flag, op: 'eq', value: true }];
  const op = COMPARISONS[node.op];
  if (op === undefined) return null;
  const [left, right] = node.args as [ASTNode, ASTNode];
  return comparison(left, op, right, means) ?? comparison(right, MIRRORED[op], left, means);
}

function both(left: Narrow | null, right: Narrow | null): Narrow | null {
  if (left === null || right === null) return left ?? right;
  return (scope) => [...left(scope), ...right(scope)];
}

/** A side that does not read the row is decided first: true admits every row, else only the other side can. */
function either(node: ASTNode & { op: '||' }, means: Means): Narrow | null {
  const [left, right] = node.args;
  const decided = usesRow(left) ? right : left;
  const rest = decided === left ? right : left;
  const condition = evaluator(decided, means.compile);
  const narrow = narrowingOf(rest, means);
  if (condition === null || narrow === null) return null;
  return (scope) => (isTrue(condition, scope) ? NOTHING : narrow(scope));
}

function comparison(left: ASTNode, op: NarrowingOp, right: ASTNode, means: Means): Narrow | null {
  const named = namedOf(left, means);
  const operand = named === null ? null : evaluator(right, means.compile);
  if (named === null || operand === null) return null;
  return (scope) => {
    const value = valueOf(operand, scope);
    return value === undefined ? NOTHING : [{ ...named, op, value }];
  };
}

function membership(left: ASTNode, right: ASTNode, means: Means): Narrow | null {
  const narrow = comparison(left, 'in', right, means);
  return narrow && ((scope) => narrow(scope).filter(({ value }) => Array.isArray(value)));
}

function namedOf(node: ASTNode, { pathOf }: Means): Named | null {
  const path = pathOf(node);
  if (path !== null) return { field: path.member, through: path.fields };
  const field = fieldOf(node);
  return field === null ? null : { field };
}

/** The field that `row.field` or `row["field"]` names. */
function fieldOf(node: ASTNode): string | null {
  if (node.op !== '.' && node.op !== '[]') return null;
  const [of, name] = node.args;
  if (of.op !== 'id' || of.args !== 'row') return null;
  if (typeof name === 'string') return name;
  return name.op === 'value' && typeof name.args === 'string' ? name.args : null;
}

/** Evaluates a part that does not read the row, from its own text; null for others, and when the text is not the part. */
function evaluator(node: ASTNode, compile: CompilePart): Evaluate | null {
  if (usesRow(node)) return null;
  const part = compile(node.input.slice(node.range.start, node.range.end));
  return part !== null && serialize(part.ast) === serialize(node) ? part.evaluate : null;
}

/** A variable of a comprehension may be named `row` too: it then counts as the row, which is safe. */
function usesRow(part: unknown): boolean {
  if (Array.isArray(part)) return part.some(usesRow);
  if (typeof part !== 'object' || part === null || !('op' in part) || !('args' in part)) return false;
  return (part.op === 'id' && part.args === 'row') || usesRow(part.args);
}

function isTrue(condition: Evaluate, scope: RuleScope): boolean {
  return valueOf(condition, scope) === true;
}

function valueOf(operand: Evaluate, scope: RuleScope): unknown {
  try {
    return operand(scope);
  } catch (error) {
    if (error instanceof OutOfFuel) throw error;
    return undefined;
  }
}
