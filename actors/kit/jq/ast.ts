/** A jq program as a tree. */
import type { Json } from './value.ts';

export type BinaryOperator = '+' | '-' | '*' | '/' | '%' | '==' | '!=' | '<' | '<=' | '>' | '>=';
export type UpdateOperator = '=' | '|=' | '+=' | '-=' | '*=' | '/=' | '%=' | '//=';

/** `quiet`: a `?` stands right behind, which silences this one step and not what leads to it. */
export type Ast =
  | { readonly kind: 'identity' }
  | { readonly kind: 'recurse' }
  | { readonly kind: 'literal'; readonly value: Json; readonly text?: string }
  | { readonly kind: 'string'; readonly format: string | null; readonly parts: readonly (string | Ast)[] }
  | { readonly kind: 'format'; readonly name: string }
  | { readonly kind: 'index'; readonly target: Ast; readonly key: Ast; readonly quiet?: true }
  | {
      readonly kind: 'slice';
      readonly target: Ast;
      readonly from: Ast | null;
      readonly to: Ast | null;
      readonly quiet?: true;
    }
  | { readonly kind: 'iterate'; readonly target: Ast; readonly quiet?: true }
  | { readonly kind: 'array'; readonly body: Ast | null }
  | { readonly kind: 'object'; readonly entries: readonly ObjectEntry[] }
  | { readonly kind: 'negate'; readonly body: Ast }
  | { readonly kind: 'pipe' | 'comma' | 'and' | 'or' | 'alternative'; readonly left: Ast; readonly right: Ast }
  | { readonly kind: 'binary'; readonly op: BinaryOperator; readonly left: Ast; readonly right: Ast }
  | { readonly kind: 'update'; readonly op: UpdateOperator; readonly left: Ast; readonly right: Ast }
  | { readonly kind: 'if'; readonly condition: Ast; readonly yes: Ast; readonly no: Ast | null }
  | { readonly kind: 'try'; readonly body: Ast; readonly handler: Ast | null }
  | {
      readonly kind: 'reduce';
      readonly source: Ast;
      readonly pattern: Pattern;
      readonly init: Ast;
      readonly update: Ast;
    }
  | {
      readonly kind: 'foreach';
      readonly source: Ast;
      readonly pattern: Pattern;
      readonly init: Ast;
      readonly update: Ast;
      readonly extract: Ast | null;
    }
  | { readonly kind: 'as'; readonly source: Ast; readonly pattern: Pattern; readonly body: Ast }
  | { readonly kind: 'def'; readonly def: Definition; readonly rest: Ast }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Ast[] }
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'label'; readonly name: string; readonly body: Ast }
  | { readonly kind: 'break'; readonly name: string }
  | { readonly kind: 'location'; readonly line: number };

export interface ObjectEntry {
  readonly key: Ast;
  readonly value: Ast;
}

export interface Definition {
  readonly name: string;
  /** A parameter with `$` is a value, one without is a filter. */
  readonly params: readonly { readonly name: string; readonly isValue: boolean }[];
  readonly body: Ast;
}

export type Pattern =
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'array'; readonly items: readonly Pattern[] }
  | { readonly kind: 'object'; readonly entries: readonly PatternEntry[] };

export interface PatternEntry {
  readonly key: Ast;
  /** `$name` as key binds the member itself, too. */
  readonly binds: string | null;
  readonly pattern: Pattern | null;
}
