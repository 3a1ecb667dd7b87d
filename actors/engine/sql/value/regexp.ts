/**
 * Regular expressions of statements, over RE2 (`actors/kit/pattern.ts`): linear in the text and paid for beforehand, so that no pattern of a
 * caller can hold the thread. As in PostgreSQL the longest match counts, `.` matches line ends, and `^ $` are the ends of the text.
 */
import { RE2JS } from 're2js';
import { boundedPattern, type BoundedPattern } from '#actors/kit/pattern.ts';
import { shown } from '#actors/kit/shown.ts';
import { burn, OutOfFuel } from '#actors/kit/pace/fuel.ts';
import { SqlFault } from '../fault.ts';
import { bounded, burnText } from './text-cost.ts';

const CACHED_MAX = 256;
const cached = new Map<string, BoundedPattern>();

/** A match: where it begins and ends, in UTF-16 units, and the texts of its groups (null for one that took no part). */
export interface Match {
  readonly from: number;
  readonly to: number;
  readonly groups: readonly (string | null)[];
}

/** Compiles a pattern with PostgreSQL's flags; throws SqlFault with the reason when it cannot be used. */
function compiled(pattern: string, flags: string): BoundedPattern {
  burn(1);
  const key = `${flags}/${pattern}`;
  let known = cached.get(key);
  if (known !== undefined) return known;
  try {
    known = boundedPattern(translated(pattern), bitsOf(pattern, flags));
  } catch (error) {
    if (error instanceof SqlFault || error instanceof OutOfFuel || !(error instanceof Error)) throw error;
    throw new SqlFault(`invalid regular expression "${shown(pattern)}": ${error.message}`);
  }
  if (cached.size >= CACHED_MAX) cached.delete(cached.keys().next().value!);
  cached.set(key, known);
  return known;
}

/** A lazy count asks for the shortest match: then the first alternative counts, as in other engines. */
const LAZY = /[*+?}]\?/;

function bitsOf(pattern: string, flags: string): number {
  let bits = RE2JS.DOTALL | (LAZY.test(pattern) ? 0 : RE2JS.LONGEST_MATCH);
  for (const flag of flags) {
    if (flag === 'i') bits |= RE2JS.CASE_INSENSITIVE;
    else if (flag === 'c') bits &= ~RE2JS.CASE_INSENSITIVE;
    else if (flag === 'n' || flag === 'm') bits = (bits | RE2JS.MULTILINE) & ~RE2JS.DOTALL;
    else if (flag === 's') bits = (bits | RE2JS.DOTALL) & ~RE2JS.MULTILINE;
    else throw new SqlFault(`the regular expression option "${shown(flag)}" is not known; use i, c, n, m, s or g`);
  }
  return bits;
}

const ESCAPES: Readonly<Record<string, string>> = { y: '\\b', Y: '\\B', Z: '\\z' };

/** PostgreSQL's escapes as RE2 writes them. Those that RE2 has for something else are refused. */
function translated(pattern: string): string {
  if (pattern.startsWith('***')) throw new SqlFault('a regular expression that begins with *** cannot be used here');
  const pieces: string[] = [];
  for (let at = 0; at < pattern.length; at++) {
    if (pattern[at] !== '\\') {
      pieces.push(pattern[at]!);
      continue;
    }
    const next = pattern[++at] ?? '';
    if ('bBmMQEpPzC'.includes(next) && next !== '')
      throw new SqlFault(`the escape \\${next} cannot be used in a regular expression here`);
    pieces.push(ESCAPES[next] ?? `\\${next}`);
  }
  return pieces.join('');
}

/** Whether the text has a match. */
export function isMatch(text: string, pattern: string, flags = ''): boolean {
  const { re, look } = compiled(pattern, flags);
  look(text.length);
  return re.matcher(text).find();
}

/** The matches of a text from its begin, one after the other; each search burns for the text that is left. */
export function* matchesOf(text: string, pattern: string, flags: string): Generator<Match, void> {
  const { re, look } = compiled(pattern, flags);
  const matcher = re.matcher(text);
  const count = re.groupCount();
  for (let from = 0; from <= text.length;) {
    look(text.length - from + 1);
    if (!matcher.find()) return;
    // The groups are found by a second search, over the match alone.
    if (count > 0) look((matcher.end() - matcher.start() + 1) * (1 + count));
    burn(1 + count);
    const groups = Array.from({ length: count }, (_, i) => matcher.group(i + 1));
    const to = matcher.end();
    yield { from: matcher.start(), to, groups };
    from = to > matcher.start() ? to : to + 1;
  }
}

/** The first match of a text. */
export function firstMatch(text: string, pattern: string, flags: string): Match | undefined {
  for (const match of matchesOf(text, pattern, flags)) return match;
  return undefined;
}

/** The flags without `g`, and whether it was among them. */
export function globalOf(flags: string): { readonly flags: string; readonly isGlobal: boolean } {
  return { flags: flags.replaceAll('g', ''), isGlobal: flags.includes('g') };
}

/** The text with the first match, or all of them, replaced; `\1` to `\9` and `\&` in the replacement stand for parts of the match. */
export function replaced(text: string, pattern: string, by: string, given: string): string {
  const { flags, isGlobal } = globalOf(given);
  const pieces: string[] = [];
  let [begin, chars] = [0, 0];
  const write = (piece: string): void => {
    chars += piece.length;
    burnText(piece.length);
    bounded(chars);
    pieces.push(piece);
  };
  for (const match of matchesOf(text, pattern, flags)) {
    write(text.slice(begin, match.from));
    substitute(by, text, match, write);
    begin = match.to;
    if (!isGlobal) break;
  }
  write(text.slice(begin));
  return pieces.join('');
}

function substitute(by: string, text: string, { from, to, groups }: Match, write: (piece: string) => void): void {
  let begin = 0;
  for (let at = by.indexOf('\\'); at >= 0 && at + 1 < by.length; at = by.indexOf('\\', at + 2)) {
    const next = by[at + 1]!;
    write(by.slice(begin, at));
    begin = at + 2;
    if (next === '&') write(text.slice(from, to));
    else if (next >= '1' && next <= '9') write(groups[Number(next) - 1] ?? '');
    else write(next === '\\' ? '\\' : `\\${next}`);
  }
  write(by.slice(begin));
}

/** The pieces of a text between the matches. An empty match at the ends, or right behind another match, does not divide it. */
export function pieces(text: string, pattern: string, flags: string): string[] {
  const out: string[] = [];
  let begin = 0;
  for (const { from, to } of matchesOf(text, pattern, flags)) {
    if (to === from && (from === begin || from === text.length)) continue;
    out.push(text.slice(begin, from));
    begin = to;
  }
  burn(out.length);
  out.push(text.slice(begin));
  return out;
}
