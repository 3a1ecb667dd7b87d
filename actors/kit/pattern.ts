/**
 * Regular expressions that tenants declare, over RE2 syntax: linear in the text, since callers could make a backtracking one run for ever.
 * Linear is not free: each character is compared with each step of the pattern, and counted repetitions are written out. So a pattern has a
 * largest size, and matching burns fuel by both.
 */
import { RE2JS } from 're2js';
import { limits } from '#config/limits.ts';
import { burn } from './pace/fuel.ts';

const CACHED_MAX = 256;
const cached = new Map<string, Compiled>();

/** Characters times steps of the pattern for one unit: at worst each takes some 40 ns, mostly far less. */
const LOOKS_PER_UNIT = 4;
/** Compiling takes some 10 microseconds a step. */
const UNITS_PER_STEP = 64;

/** Whether a text matches. */
type Compiled = (text: string) => boolean;

/** Compiles a pattern; throws with the reason when RE2 does not take it (look-around and back references have no linear form), or when it is too large. */
export function compilePattern(pattern: string): Compiled {
  const { re, look } = boundedPattern(pattern, 0);
  return (text) => {
    look(text.length);
    return re.matcher(text).find();
  };
}

export interface BoundedPattern {
  readonly re: RE2JS;
  /** Burns for a search over so many characters; call it before each. */
  readonly look: (chars: number) => void;
}

/** Compiles a pattern under RE2's flags; throws as `compilePattern` does. A search with it must burn beforehand. */
export function boundedPattern(pattern: string, flags: number): BoundedPattern {
  const steps = stepsOf(pattern);
  const most = limits.patterns.stepsMax;
  if (steps > most)
    throw new Error(`the pattern is too large: written out it has ${steps} steps, at most ${most} are taken`);
  burn(steps * UNITS_PER_STEP);
  return { re: RE2JS.compile(pattern, flags), look: (chars) => burn((chars * steps) / LOOKS_PER_UNIT) };
}

/** Whether the text matches a pattern that is known only at run time; compiled patterns are kept, the oldest leaves first. */
export function matchesPattern(text: string, pattern: string): boolean {
  let compiled = cached.get(pattern);
  if (compiled === undefined) {
    compiled = compilePattern(pattern);
    if (cached.size >= CACHED_MAX) cached.delete(cached.keys().next().value!);
    cached.set(pattern, compiled);
  }
  return compiled(text);
}

const REPEATED = /\{(\d+)(?:,(\d*))?\}/y;

/** How many steps a pattern has with its counted repetitions written out; at most about what it is compiled to. */
export function stepsOf(pattern: string): number {
  const around: number[] = [];
  let sum = 1;
  let last = 0;
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at]!;
    REPEATED.lastIndex = at;
    const repeated = char === '{' ? REPEATED.exec(pattern) : null;
    if (repeated !== null) {
      const [whole, low, high] = repeated;
      const times = Math.max(1, Number(low), Number(high === undefined || high === '' ? Number(low) + 1 : high));
      sum += last * (times - 1);
      last *= times;
      at += whole.length - 1;
    } else if (char === '(') {
      around.push(sum);
      sum = 2;
      last = 0;
    } else if (char === ')') {
      last = sum;
      sum += around.pop() ?? 0;
    } else {
      if (char === '[') at = endOfClass(pattern, at);
      else if (char === '\\') at++;
      last = 1;
      sum++;
    }
  }
  return sum + around.reduce((all, one) => all + one, 0);
}

/** The place of the bracket that ends a class; the first one in it may stand for itself. */
function endOfClass(pattern: string, begin: number): number {
  const first = pattern[begin + 1] === '^' ? begin + 3 : begin + 2;
  for (let at = first; at < pattern.length; at++) {
    if (pattern[at] === '\\') at++;
    else if (pattern[at] === ']') return at;
  }
  return pattern.length;
}
