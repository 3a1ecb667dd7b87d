/** The builtins over patterns that give several results or take a filter. */
import { burn } from '../pace/fuel.ts';
import { Unsure } from './faults.ts';
import type { Json } from './value.ts';
import { many, noPaths, single, type Env, type Node } from './node.ts';
import { captured, matches, scanned, shown, splitAt, type Match } from './regex.ts';
import { payText } from './text.ts';

/** Calls `then` for each flags and pattern, flags outermost, as builtins take their arguments. */
function each(
  pattern: Node,
  flags: Node | null,
  input: Json,
  env: Env | null,
  then: (re: Json, flags: Json) => void,
): void {
  if (flags === null) pattern.run(input, env, (re) => then(re, null));
  else flags.run(input, env, (given) => pattern.run(input, env, (re) => then(re, given)));
}

/** One result for each match. */
function eachMatch(give: (match: Match) => Json, isGlobal: boolean): (pattern: Node, flags?: Node) => Node {
  return (pattern, flags) =>
    many((input, env, emit) => {
      each(pattern, flags ?? null, input, env, (re, given) => {
        for (const match of matches(input, re, isGlobal ? withGlobal(given) : given)) emit(give(match));
      });
    }, noPaths);
}

function withGlobal(flags: Json): Json {
  if (flags === null) return 'g';
  return typeof flags === 'string' ? `${flags}g` : flags;
}

/** `sub` and `gsub`: the replacement is a filter over the named groups; the first results of all matches make the first text, and so on. */
export function substitute(isGlobal: boolean): (pattern: Node, replacement: Node, flags?: Node) => Node {
  return (pattern, replacement, flags) =>
    many((input, env, emit) => {
      each(pattern, flags ?? null, input, env, (re, given) => {
        const found = matches(input, re, isGlobal ? withGlobal(given) : given);
        const between = splitAt(input as string, found);
        const inserted = found.map((match) => replaced(replacement, match, env));
        const texts = inserted[0]?.length ?? 1;
        if (inserted.some(({ length }) => length !== texts)) throw new Unsure('replacements of other numbers');
        for (let at = 0; at < texts; at++)
          emit(joined(between.map((text, i) => (i === 0 ? text : inserted[i - 1]![at]! + text))));
      });
    }, noPaths);
}

function joined(texts: readonly string[]): string {
  payText(texts.reduce((chars, text) => chars + text.length, 0));
  return texts.join('');
}

function replaced(replacement: Node, match: Match, env: Env | null): readonly string[] {
  const results: Json[] = [];
  replacement.run(captured(match), env, (value) => {
    burn(1);
    results.push(value);
  });
  if (results.length === 0 || !results.every((text) => typeof text === 'string'))
    throw new Unsure('a replacement of another kind');
  return results;
}

/** `split/2`. */
export function splitBy(pattern: Node, flags: Node): Node {
  const { one } = pattern;
  const flagsOne = flags.one;
  if (one === null || flagsOne === null) throw new Unsure('several patterns');
  return single((input, env) => {
    const found = matches(input, one(input, env), withGlobal(flagsOne(input, env)));
    return splitAt(input as string, found);
  }, noPaths);
}

export const MATCH = eachMatch(shown, false);
export const CAPTURE = eachMatch(captured, false);
export const SCAN = eachMatch(scanned, true);
