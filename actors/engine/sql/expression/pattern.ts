/** `~ ~* !~ !~*`: whether a text has a match of a regular expression. */
import type { Place } from '../context.ts';
import { isMatch } from '../value/regexp.ts';
import { coerce } from './coerce.ts';
import { strict, type Expr } from './expr.ts';

const SIGNS: ReadonlySet<string> = new Set(['~', '~*', '!~', '!~*']);

export function isPatternSign(sign: string): boolean {
  return SIGNS.has(sign);
}

export function matches({ statement }: Place, at: number, sign: string, a: Expr, b: Expr): Expr {
  const flags = sign.endsWith('*') ? 'i' : '';
  const wanted = !sign.startsWith('!');
  const parts = [coerce(statement, a, 'text'), coerce(statement, b, 'text')];
  return strict('boolean', at, parts, (text, pattern) => isMatch(text as string, pattern as string, flags) === wanted);
}
