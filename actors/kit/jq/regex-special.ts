/** The builtins over patterns that give several results or take a filter. */
import { Unsure } from './faults.ts';
import type { Json } from './value.ts';
import { many, noPaths, single } from './node.ts';
import type { Env, Node } from './node.ts';
import { captured, matches, scanned, shown, splitAt } from './regex.ts';
import type { Match } from './regex.ts';

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

/** `sub` and `gsub`: the replacement is a filter over the named groups; one that gives several results is the reference tier's. */
export function substitute(isGlobal: boolean): (pattern: Node, replacement: Node, flags?: Node) => Node {
  return (pattern, replacement, flags) =>
    many((input, env, emit) => {
      each(pattern, flags ?? null, input, env, (re, given) => {
        const found = matches(input, re, isGlobal ? withGlobal(given) : given);
        const between = splitAt(input as string, found);
        let text = between[0]!;
        found.forEach((match, i) => (text += replaced(replacement, match, env) + between[i + 1]!));
        emit(text);
      });
    }, noPaths);
}

function replaced(replacement: Node, match: Match, env: Env | null): string {
  const results: Json[] = [];
  replacement.run(captured(match), env, (value) => void results.push(value));
  const [text] = results;
  if (results.length !== 1 || typeof text !== 'string') throw new Unsure('a replacement of another kind');
  return text;
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
