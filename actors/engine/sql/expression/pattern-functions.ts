/** Functions of regular expressions. */
import type { Value } from '../type.ts';
import { boundedList } from '../value/list.ts';
import { firstMatch, globalOf, isMatch, matchesOf, pieces, replaced } from '../value/regexp.ts';
import { SqlFault } from '../fault.ts';
import { is, type Signature } from './signature.ts';

/** The groups of a match, or the whole of it where there are none. */
export function groupsOf(
  text: string,
  { from, to, groups }: { from: number; to: number; groups: readonly (string | null)[] },
): readonly Value[] {
  return groups.length === 0 ? [text.slice(from, to)] : groups;
}

function first(text: Value, pattern: Value, flags: Value = ''): readonly Value[] | null {
  if ((flags as string).includes('g'))
    throw new SqlFault('regexp_match() does not support the "global" option; use regexp_matches in FROM');
  const found = firstMatch(text as string, pattern as string, flags as string);
  return found === undefined ? null : boundedList(groupsOf(text as string, found));
}

/** The first group of the first match, else the match. */
function part(text: Value, pattern: Value): Value {
  const found = firstMatch(text as string, pattern as string, '');
  if (found === undefined) return null;
  return found.groups.length === 0 ? (text as string).slice(found.from, found.to) : found.groups[0]!;
}

/** The whole of the first match. */
function whole(text: Value, pattern: Value): Value {
  const found = firstMatch(text as string, pattern as string, '');
  return found === undefined ? null : (text as string).slice(found.from, found.to);
}

function count(text: Value, pattern: Value): number {
  let all = 0;
  for (const _ of matchesOf(text as string, pattern as string, '')) all++;
  return all;
}

function split(text: Value, pattern: Value, flags: Value = ''): readonly Value[] {
  return boundedList(splitBy(text, pattern, flags));
}

export function splitBy(text: Value, pattern: Value, flags: Value): string[] {
  if (globalOf(flags as string).isGlobal)
    throw new SqlFault('regexp_split does not support the "global" option: it divides at every match');
  return pieces(text as string, pattern as string, flags as string);
}

/** With and without flags as the last argument. */
function flagged(gives: Signature['gives'], compute: Signature['compute']): Signature[] {
  return [is(['text', 'text'], gives, compute), is(['text', 'text', 'text'], gives, compute)];
}

export const PATTERN_FUNCTIONS = {
  /** `substring(text from pattern)`. */
  substring: [is(['text', 'text'], 'text', part)],
  named: {
    regexp_replace: [
      is(['text', 'text', 'text'], 'text', (text, pattern, by) =>
        replaced(text as string, pattern as string, by as string, ''),
      ),
      is(['text', 'text', 'text', 'text'], 'text', (text, pattern, by, flags) =>
        replaced(text as string, pattern as string, by as string, flags as string),
      ),
    ],
    regexp_match: flagged('text[]', first),
    regexp_like: flagged('boolean', (text, pattern, flags = '') =>
      isMatch(text as string, pattern as string, flags as string),
    ),
    regexp_count: [is(['text', 'text'], 'integer', count)],
    regexp_substr: [is(['text', 'text'], 'text', whole)],
    regexp_split_to_array: flagged('text[]', split),
  },
} as const satisfies { substring: Signature[]; named: Record<string, Signature[]> };
