/** OR, AND and NOT of conditions, brought into the form that queries have: conjunctions of predicates and alternatives, without a NOT. */
import type { Conjunction, Predicate } from './query.ts';

/** Conditions as callers write them. */
export type Tree = Predicate | All | AnyOf | Not;

interface All {
  readonly kind: 'all';
  readonly of: readonly Tree[];
}

interface AnyOf {
  readonly kind: 'any';
  readonly of: readonly Tree[];
}

interface Not {
  readonly kind: 'not';
  readonly of: Tree;
}

export const NO_CONDITIONS: Conjunction = { where: [], any: [] };

/**
 * De Morgan's laws hold in SQL's logic of three values, and the negation of a comparison is unknown exactly where the comparison is: once no NOT
 * is left, unknown and false need not be told apart.
 */
export function conjunctionOfTree(tree: Tree, negated = false): Conjunction {
  if (tree.kind === 'predicate') return negated ? negation(tree) : { where: [tree], any: [] };
  if (tree.kind === 'not') return conjunctionOfTree(tree.of, !negated);
  const parts = tree.of.map((part) => conjunctionOfTree(part, negated));
  return (tree.kind === 'all') === negated ? oneOf(parts) : allOf(parts);
}

export function allOf(parts: readonly Conjunction[]): Conjunction {
  if (parts.length === 1) return parts[0]!;
  return { where: parts.flatMap(({ where }) => where), any: parts.flatMap(({ any }) => any) };
}

function oneOf(parts: readonly Conjunction[]): Conjunction {
  return parts.length === 1 ? parts[0]! : { where: [], any: [{ kind: 'alternatives', of: parts }] };
}

const NEGATED = {
  eq: 'ne',
  ne: 'eq',
  gt: 'lte',
  gte: 'lt',
  lt: 'gte',
  lte: 'gt',
  in: 'nin',
  nin: 'in',
  like: 'nlike',
  nlike: 'like',
  ilike: 'nilike',
  nilike: 'ilike',
} as const;

function negation(predicate: Predicate): Conjunction {
  const { op, value } = predicate;
  const just = (change: Partial<Predicate>): Conjunction => ({ where: [{ ...predicate, ...change }], any: [] });
  if (op === 'null') return just({ value: value !== true });
  if (op !== 'between') return just({ op: NEGATED[op] });
  const [low, high] = value as readonly [unknown, unknown];
  return oneOf([just({ op: 'lt', value: low }), just({ op: 'gt', value: high })]);
}
