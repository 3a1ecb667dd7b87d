/**
 * `test match capture scan split sub gsub` through RE2, for patterns and texts on which RE2 and jq's Oniguruma cannot differ:
 * ASCII, one line, the common operators. The others are the reference tier's.
 */
import { RE2JS } from 're2js';
import { limits } from '#config/limits.ts';
import { JqError, Unsure } from './faults.ts';
import { burn, burnChars } from '../pace/fuel.ts';
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

/** Compiling takes some microseconds for each instruction of RE2's program. */
const UNITS_PER_INSTRUCTION = 20;

/** At least the instructions of a plain pattern: its characters, repeated as its counts say. */
function instructionsOf(pattern: string): number {
  const around: number[] = [];
  let sum = 0;
  let last = 0;
  for (const [token, least, most] of pattern.matchAll(/\\.|\[[^\]]*\]|\{(\d+),?(\d*)\}|./gs)) {
    if (token === '(') {
      around.push(sum);
      sum = last = 0;
    } else if (token === ')') {
      last = sum + 2;
      sum = (around.pop() ?? 0) + last;
    } else if (least !== undefined) {
      const more = last * (Math.max(Number(least), Number(most), 1) - 1);
      last += more;
      sum += more;
    } else sum += last = 1;
  }
  return sum + 2;
}

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
  burn(1 + pattern.length / 4);
  if (pattern.length > limits.expressions.patternCharsMax) throw new Unsure('a long pattern');
  if (!/^[gin]*$/.test(flags) || flags.includes('n')) throw new Unsure('a flag of a pattern');
  if (!PLAIN_PATTERN.test(pattern) || DOUBLED.test(pattern)) throw new Unsure('a pattern of another kind');
  const key = `${flags.includes('i') ? 'i' : ''}/${pattern}`;
  let known = cached.get(key);
  if (known === undefined) {
    burn(UNITS_PER_INSTRUCTION * instructionsOf(pattern));
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
  burnChars(2 * text.length);
  if (!PLAIN_TEXT.test(text)) throw new Unsure('a text of another kind');
  const re = compiled(pattern, flags ?? '');
  const isGlobal = flags?.includes('g') === true;
  const names = namesOf(re);
  const matcher = re.matcher(text);
  const out: Match[] = [];
  const perChar = (1 + re.programSize() / 8) / 4;
  const find = (from: number): boolean => {
    // A search may look at all that is left to find a short match, or none.
    burn(1 + perChar * (text.length - from));
    return matcher.find();
  };
  for (let from = 0; find(from); from = matcher.end()) {
    burn(4 * (1 + names.length));
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
