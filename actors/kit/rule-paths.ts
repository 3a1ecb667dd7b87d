/**
 * Paths of rules over references: `row.ticket.requester` reads a field of the row that `row.ticket_id` names
 * (docs/contract/data-definitions.md §2.1). A compiled rule asks its scope for that row; what reads rows gives the answer.
 */
import type { ASTNode, ParseResult } from '@marcbachmann/cel-js';
import { limits } from '#config/limits.ts';
import { accessOf, ownNames } from './rule-access.ts';
import { walk } from './rule-environment.ts';
import type { Relations } from './rule-members.ts';
import { FOLLOW, type RuleScope } from './rule-scope.ts';

export interface Path {
  /** The reference fields on the way: the first of the row itself, each further one of the row before it. At least one. */
  readonly fields: readonly string[];
  /** The field that is read, of the last row. */
  readonly member: string;
}

/** A row that a part of a rule stands for: `row` itself, or one that is reached over references. */
export interface RowAt {
  readonly of: Relations;
  readonly fields: readonly string[];
  /** As the rule writes it. */
  readonly path: string;
}

/** The row that a node stands for; null for every other value. `own`: variables that the rule makes itself. */
function rowAt(node: ASTNode, relations: Relations, own: ReadonlySet<string>): RowAt | null {
  if (node.op === 'id')
    return node.args === 'row' && !own.has('row') ? { of: relations, fields: [], path: 'row' } : null;
  const access = accessOf(node);
  const around = access === null ? null : rowAt(access.of, relations, own);
  const relation = around?.of.relation(access!.name);
  if (around === null || relation === undefined) return null;
  return { of: relation.to, fields: [...around.fields, relation.field], path: `${around.path}.${access!.name}` };
}

/** The row that a reference leads to, where the node reads a member of one; null for every other node. */
export function referencedRow(node: ASTNode, relations: Relations, own: ReadonlySet<string>): RowAt | null {
  const access = accessOf(node);
  const row = access === null ? null : rowAt(access.of, relations, own);
  return row === null || row.fields.length === 0 ? null : row;
}

/** Recognizes the paths of a rule. */
export function pathsOf(ast: ASTNode, relations: Relations): (node: ASTNode) => Path | null {
  const own = ownNames(ast);
  return (node) => {
    const row = referencedRow(node, relations, own);
    const member = row === null ? '' : accessOf(node)!.name;
    if (row === null || row.fields.length > limits.rules.hopsMax || !row.of.members.has(member)) return null;
    return { fields: row.fields, member };
  };
}

/** What is written about a path that CEL would answer without the referenced row; null where nothing is. */
export function pathMisuse(ast: ASTNode, relations: Relations): string | null {
  const own = ownNames(ast);
  let misuse: string | null = null;
  const isPath = (node: ASTNode): boolean => referencedRow(node, relations, own) !== null;
  walk(ast, (node) => {
    const isHas = node.op === 'call' && node.args[0] === 'has';
    if (isHas) walk(node.args[1], (part) => void (isPath(part) && (misuse ??= 'has()')));
    else if (isPath(node) && (isOptional(node) || isOptional(accessOf(node)!.of))) misuse ??= '`?`';
  });
  return misuse === null
    ? null
    : `a path over a reference takes no ${misuse as string}: write it plainly; where it leads to no row it has no value, and the rule denies`;
}

const isOptional = (node: ASTNode): boolean => node.op === '.?' || node.op === '[?]';

/** A path that leads to no row: the comparison around it has no answer. It says nothing of the row that was looked for. */
class LeadsNowhere extends Error {
  readonly code = 'no_referenced_row';
  readonly node: { readonly input: string; readonly start: number; readonly end: number };

  constructor({ input, range }: ASTNode) {
    super('the reference leads to no row');
    this.node = { input, start: range.start, end: range.end };
  }
}

interface Context {
  getValue(key: string | symbol): unknown;
}

interface Evaluated {
  evaluate: (evaluator: { debugType(value: unknown): unknown }, node: unknown, context: Context) => unknown;
}

/** Makes the paths of a checked program read the rows that references name. Gives whether there are any. */
export function followPaths({ ast }: ParseResult, pathOf: (node: ASTNode) => Path | null): boolean {
  let follows = false;
  walk(ast, (node) => {
    const path = pathOf(node);
    if (path === null) return;
    follows = true;
    const nowhere = new LeadsNowhere(node);
    (node as unknown as Evaluated).evaluate = (evaluator, _node, context) => {
      const value = valueAt(path, context);
      if (value === undefined) throw nowhere;
      evaluator.debugType(value); // throws for what CEL has no type for
      return value;
    };
  });
  return follows;
}

/** Undefined where the path leads to no row. */
function valueAt(path: Path, context: Context): unknown {
  const follow = context.getValue(FOLLOW) as RuleScope[typeof FOLLOW];
  const row = context.getValue('row') as Readonly<Record<string, unknown>> | null;
  const found = row === null ? null : follow?.(path.fields, row);
  return found?.[path.member];
}
