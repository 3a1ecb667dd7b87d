/** How rules write members of values, and the variables that they make themselves. */
import type { ASTNode } from '@marcbachmann/cel-js';
import { walk } from './rule-environment.ts';

const MACROS: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'map', 'filter', 'bind']);

/** Variables that the rule makes itself: one may be called `row`. */
export function ownNames(ast: ASTNode): ReadonlySet<string> {
  const own = new Set<string>();
  walk(ast, (node) => {
    if (node.op !== 'rcall' || !MACROS.has(node.args[0])) return;
    const [variable] = node.args[2];
    if (variable?.op === 'id') own.add(variable.args);
  });
  return own;
}

export interface Access {
  readonly of: ASTNode;
  readonly name: string;
}

/** `of.name` or `of["name"]`, optional or not. */
export function accessOf(node: ASTNode): Access | null {
  if (node.op !== '.' && node.op !== '.?' && node.op !== '[]' && node.op !== '[?]') return null;
  const [of, name] = node.args as [ASTNode, ASTNode | string];
  if (typeof name === 'string') return { of, name };
  return name.op === 'value' && typeof name.args === 'string' ? { of, name: name.args } : null;
}
