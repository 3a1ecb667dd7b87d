/** Small pieces of a tree that the parser makes in several places. */
import type { Ast, ObjectEntry } from './ast.ts';

export const CONSTANTS: ReadonlyMap<string, null | boolean> = new Map([
  ['null', null],
  ['true', true],
  ['false', false],
]);
export const UPDATES: ReadonlySet<string> = new Set(['=', '|=', '+=', '-=', '*=', '/=', '%=', '//=']);
export const COMPARISONS: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>=']);

/** Behind a step `?` silences that step, behind anything else (what stands in brackets, too) all of it. */
export function quietly(term: Ast, whole: Ast | null): Ast {
  const isKind = term.kind === 'index' || term.kind === 'slice' || term.kind === 'iterate';
  return isKind && term !== whole && term.quiet === undefined
    ? { ...term, quiet: true }
    : { kind: 'try', body: term, handler: null };
}

export function indexBy(target: Ast, name: string): Ast {
  return { kind: 'index', target, key: { kind: 'literal', value: name } };
}

/** Whether jq knows the value when it compiles; it then refuses what cannot stand there, which only jq can say. */
export function isConstant(ast: Ast): boolean {
  switch (ast.kind) {
    case 'literal':
    case 'location':
      return true;
    case 'binary':
    case 'and':
    case 'or':
    case 'pipe':
    case 'comma':
      return isConstant(ast.left) && isConstant(ast.right);
    case 'negate':
      return isConstant(ast.body);
    case 'array':
      return ast.body === null || isConstant(ast.body);
    case 'object':
      return ast.entries.every(({ key, value }) => isConstant(key) && isConstant(value));
    default:
      return false;
  }
}

export function entryOf(name: string, value: Ast): ObjectEntry {
  return { key: { kind: 'literal', value: name }, value };
}
