/** The compiler as its parts see it. */
import type { Ast } from './ast.ts';
import type { Node } from './node.ts';
import type { Scope } from './scope.ts';

export type Compile = (ast: Ast, scope: Scope | null) => Node;
