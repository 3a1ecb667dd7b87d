/** The conditions that a rule puts together: what stands between its `&&`, `||`, `!` and `? :`, as it is written. Pure. */
import type { ASTNode } from '@marcbachmann/cel-js';
import { limits } from '#config/limits.ts';

const JOINTS: ReadonlySet<string> = new Set(['&&', '||', '!_', '?:']);

/** In their order, each text once, `limits.rules.conditionsMax` at most. */
export function conditionsIn(ast: ASTNode): string[] {
  const found = new Set<string>();
  gather(ast, found);
  return [...found];
}

function gather(node: ASTNode, found: Set<string>): void {
  if (found.size >= limits.rules.conditionsMax) return;
  if (!JOINTS.has(node.op)) {
    found.add(node.input.slice(node.range.start, node.range.end));
    return;
  }
  for (const part of [node.args].flat() as ASTNode[]) gather(part, found);
}
