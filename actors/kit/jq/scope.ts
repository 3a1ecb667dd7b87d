/** The meaning of a name at its place: known at compile time, with the number of cells between use and definition. */
import type { Definition } from './ast.ts';
import type { Node } from './node.ts';

export type Scope =
  | {
      readonly kind: 'variable' | 'filter' | 'label';
      readonly name: string;
      readonly depth: number;
      readonly up: Scope | null;
    }
  | { readonly kind: 'function'; readonly function: FunctionEntry; readonly depth: number; readonly up: Scope | null };

/** A function is compiled when it is first called, which lets it call itself. */
export interface FunctionEntry {
  readonly def: Definition;
  /** Cells that the body finds below its own parameters. */
  readonly depth: number;
  /** What the body sees: itself included. */
  scope: Scope | null;
  node: Node | null;
}

function depthOf(scope: Scope | null): number {
  return scope?.depth ?? 0;
}

/** A new cell on top. */
export function bind(scope: Scope | null, kind: 'variable' | 'filter' | 'label', name: string): Scope {
  return { kind, name, depth: depthOf(scope) + 1, up: scope };
}

/** A function takes no cell. */
export function define(scope: Scope | null, def: Definition): Scope {
  const depth = depthOf(scope);
  const entry: FunctionEntry = { def, depth, scope: null, node: null };
  const defined: Scope = { kind: 'function', function: entry, depth, up: scope };
  entry.scope = defined;
  return defined;
}

/** Cells between the use and the variable (or label), or null when there is none of this name. */
export function findCell(scope: Scope | null, kind: 'variable' | 'label', name: string): number | null {
  for (let at = scope; at !== null; at = at.up)
    if (at.kind === kind && at.name === name) return depthOf(scope) - at.depth;
  return null;
}

export type Callee =
  | { readonly kind: 'filter'; readonly hops: number }
  | { readonly kind: 'function'; readonly function: FunctionEntry; readonly hops: number };

/** What a call by this name and number of arguments reaches, or null. */
export function findCallee(scope: Scope | null, name: string, arity: number): Callee | null {
  for (let at = scope; at !== null; at = at.up) {
    const hops = depthOf(scope) - at.depth;
    if (at.kind === 'filter' && arity === 0 && at.name === name) return { kind: 'filter', hops };
    if (at.kind !== 'function') continue;
    const { def } = at.function;
    if (def.name === name && def.params.length === arity) return { kind: 'function', function: at.function, hops };
  }
  return null;
}
