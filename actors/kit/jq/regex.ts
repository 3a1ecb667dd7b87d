/**
 * `test match capture scan split sub gsub` through RE2, for patterns and texts on which RE2 and jq's Oniguruma cannot differ:
 * ASCII, one line, the common operators. The others are the reference tier's.
 */
import { RE2JS } from 're2js';
import { JqError, Unsure } from './faults.ts';
import { burn } from '../fuel.ts';
import type { Json } from './value.ts';
import { describe } from './text.ts';

const CACHED_MAX = 256;
const cached = new Map<string, RE2JS>();

/** Letters, digits, spaces and plain marks; classes without nesting; groups, named or not; greedy and lazy counts. */
const PLAIN_PATTERN =
  /^(?:[A-Za-z0-9 _,:;@#%&=<>"'/!~-]|\\[.*+?()[\]{}|^$\\/-]|\\[dDwW]|\.|\[\^?(?:[A-Za-z0-9 _,:;@#%=/.+*](?:-[A-Za-z0-9])?|\\[dw.\-\]\\])+-?\]|\((?:\?:|\?<[A-Za-z_]\w*>)?|\)|\||\^|\$|[*+?]\??|\{\d{1,2}(?:,\d{0,2})?\})*$/;
const DOUBLED = /[*+?}][*+{]|\?\?[*+?{]|[(|^](?:[*+{]|\?(?![:<]))|\(\)|\|\)|\|\||\(\||^\||\|$/;
// oxlint-disable-next-line no-control-regex
const PLAIN_TEXT = /^[\x20-\x7e\t]*$/;

export interface Match {
  readonly offset: number;
  readonly length: number;
  readonly string: string;
  readonly captures: readonly Capture[];
}

interface Capture {
  readonly name: string | null;
  readonly offset: number;
  readonly length: number;
  readonly string: string | null;
}

function compiled(pattern: string, flags: string): RE2JS {
  if (!/^[gin]*$/.test(flags) || flags.includes('n')) throw new Unsure('a flag of a pattern');
  if (!PLAIN_PATTERN.test(pattern) || DOUBLED.test(pattern)) throw new Unsure('a pattern of another kind');
  const key = `${flags.includes('i') ? 'i' : ''}/${pattern}`;
  let known = cached.get(key);
  if (known === undefined) {
    try {
      known = RE2JS.compile(pattern, flags.includes('i') ? RE2JS.CASE_INSENSITIVE : 0);
    } catch {
      throw new Unsure('a pattern that RE2 does not take');
    }
    if (cached.size >= CACHED_MAX) cached.delete(cached.keys().next().value!);
    cached.set(key, known);
  }
  return known;
}

/** The first match, or with the flag `g` all of them. */
export function matches(text: Json, pattern: Json, flags: Json): Match[] {
  if (typeof text !== 'string') throw new JqError(`${describe(text)} cannot be matched, as it is not a string`);
  if (flags === null && Array.isArray(pattern)) return matchesOf(text, pattern as readonly Json[]);
  if (typeof pattern !== 'string' || (flags !== null && typeof flags !== 'string'))
    throw new Unsure('a pattern of another kind');
  if (!PLAIN_TEXT.test(text)) throw new Unsure('a text of another kind');
  burn(text.length + pattern.length);
  const re = compiled(pattern, flags ?? '');
  const isGlobal = flags?.includes('g') === true;
  const names = namesOf(re);
  const matcher = re.matcher(text);
  const out: Match[] = [];
  while (matcher.find()) {
    burn(1);
    if (matcher.start() === matcher.end()) throw new Unsure('an empty match');
    const captures = names.map((name, at) => captureOf(name, matcher.start(at + 1), matcher.group(at + 1)));
    out.push({ offset: matcher.start(), length: matcher.end() - matcher.start(), string: matcher.group()!, captures });
    if (!isGlobal) break;
  }
  return out;
}

/** A pattern with its flags beside it. */
function matchesOf(text: string, [pattern, flags]: readonly Json[]): Match[] {
  if (typeof pattern !== 'string' || typeof flags !== 'string') throw new Unsure('a pattern of another kind');
  return matches(text, pattern, flags);
}

function captureOf(name: string | null, start: number, string: string | null): Capture {
  if (string === null || string === '') throw new Unsure('a group without text');
  return { name, offset: start, length: string.length, string };
}

/** Names of the groups by their numbers. With names, Oniguruma takes plain groups as none. */
function namesOf(re: RE2JS): (string | null)[] {
  const names: (string | null)[] = Array.from({ length: re.groupCount() }, () => null);
  const named = Object.entries(re.namedGroups());
  for (const [name, number] of named) names[number - 1] = name;
  if (named.length > 0 && named.length < names.length) throw new Unsure('named groups beside others');
  return names;
}

/** What a match gives to `capture`, `sub` and `gsub`. */
export function captured({ captures }: Match): Record<string, Json> {
  const out: Record<string, Json> = {};
  for (const { name, string } of captures) if (name !== null) out[name] = string;
  return out;
}

/** `scan`: the whole match, or its groups. */
export function scanned({ string, captures }: Match): Json {
  return captures.length === 0 ? string : captures.map((capture) => capture.string);
}

/** A match as jq shows it; it has the shape of JSON. */
export function shown({ offset, length, string, captures }: Match): Json {
  const groups = captures.map((group) => ({
    offset: group.offset,
    length: group.length,
    string: group.string,
    name: group.name,
  }));
  return { offset, length, string, captures: groups };
}

/** The text around the matches. */
export function splitAt(text: string, found: readonly Match[]): string[] {
  const out: string[] = [];
  let at = 0;
  for (const { offset, length } of found) {
    out.push(text.slice(at, offset));
    at = offset + length;
  }
  out.push(text.slice(at));
  return out;
}
