/**
 * The indexable part of a rule: comparisons of one field of `row` with a value that does not depend on the row, if every row that the rule
 * admits must meet them. The rule itself is still evaluated for each row.
 */
import { serialize } from '@marcbachmann/cel-js';
import type { ASTNode } from '@marcbachmann/cel-js';
import { OutOfFuel } from './pace/fuel.ts';
import type { RuleScope } from './rule-scope.ts';

export type NarrowingOp = 'eq' | 'lt' | 'lte' | 'gt' | 'gte' | 'in';

export interface Narrowing {
  readonly field: string;
  readonly op: NarrowingOp;
  /** As CEL gives it: 64-bit integers are bigints. A list for `in`. */
  readonly value: unknown;
}

/** What every row that the rule admits in this scope meets; empty when nothing is known. */
export type Narrow = (scope: RuleScope) => readonly Narrowing[];

type Evaluate = (scope: RuleScope) => unknown;

/** Compiles the text of a part of the rule. */
export type CompilePart = (source: string) => { readonly ast: ASTNode; readonly evaluate: Evaluate } | null;

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
export function narrowingOf(node: ASTNode, compile: CompilePart): Narrow | null {
  if (node.op === '&&') return both(narrowingOf(node.args[0], compile), narrowingOf(node.args[1], compile));
  if (node.op === '||') return either(node, compile);
  if (node.op === 'in') return membership(node.args[0], node.args[1], compile);
  const flag = fieldOf(node);
  if (flag !== null) return () => [{ field: flag, op: 'eq', value: true }];
  const op = COMPARISONS[node.op];
  if (op === undefined) return null;
  const [left, right] = node.args as [ASTNode, ASTNode];
  return comparison(left, op, right, compile) ?? comparison(right, MIRRORED[op], left, compile);
}

function both(left: Narrow | null, right: Narrow | null): Narrow | null {
  if (left === null || right === null) return left ?? right;
  return (scope) => [...left(scope), ...right(scope)];
}

/** A side that does not read the row is decided first: true admits every row, else only the other side can. */
function either(node: ASTNode & { op: '||' }, compile: CompilePart): Narrow | null {
  const [left, right] = node.args;
  const decided = usesRow(left) ? right : left;
  const rest = decided === left ? right : left;
  const condition = evaluator(decided, compile);
  const narrow = narrowingOf(rest, compile);
  if (condition === null || narrow === null) return null;
  return (scope) => (isTrue(condition, scope) ? NOTHING : narrow(scope));
}

function comparison(left: ASTNode, op: NarrowingOp, right: ASTNode, compile: CompilePart): Narrow | null {
  const field = fieldOf(left);
  const operand = field === null ? null : evaluator(right, compile);
  if (field === null || operand === null) return null;
  return (scope) => {
    const value = valueOf(operand, scope);
    return value === undefined ? NOTHING : [{ field, op, value }];
  };
}

function membership(left: ASTNode, right: ASTNode, compile: CompilePart): Narrow | null {
  const narrow = comparison(left, 'in', right, compile);
  return narrow && ((scope) => narrow(scope).filter(({ value }) => Array.isArray(value)));
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
