/** Regular expressions that tenants declare: linear time over RE2 syntax, because a backtracking one on their input is a hole (LIBRARIES). */
import { RE2JS } from 're2js';

const CACHED_MAX = 256;
const cached = new Map<string, RE2JS>();

/** Compiles a pattern; throws with the reason when RE2 does not take it (look-around and back references have no linear form). */
export function compilePattern(pattern: string): (text: string) => boolean {
  const compiled = RE2JS.compile(pattern);
  return (text) => compiled.matcher(text).find();
}

/** Whether the text matches a pattern that is known only at run time; compiled patterns are kept, the oldest leaves first. */
export function matchesPattern(text: string, pattern: string): boolean {
  let compiled = cached.get(pattern);
  if (compiled === undefined) {
    compiled = RE2JS.compile(pattern);
    if (cached.size >= CACHED_MAX) cached.delete(cached.keys().next().value!);
    cached.set(pattern, compiled);
  }
  return compiled.matcher(text).find();
}
