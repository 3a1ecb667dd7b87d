/** By the words of the contract, one character at a time: which ends of the glob each beginning of the text reaches. */
export function fitsByHand(glob: string, text: string): boolean {
  const parts = glob.match(/\*\*|[^]/g) ?? [];
  let reached = new Set(closed(parts, [0]));
  for (const char of text) {
    const next: number[] = [];
    for (const at of reached) {
      const part = parts[at];
      if (part === '**' || (part === '*' && char !== '/')) next.push(at);
      else if (part !== '*' && part === char) next.push(at + 1);
    }
    reached = new Set(closed(parts, next));
  }
  return reached.has(parts.length);
}

/** A wildcard may be filled with nothing. */
function closed(parts: readonly string[], places: readonly number[]): number[] {
  const all = [...places];
  for (const at of all) if (parts[at] === '*' || parts[at] === '**') all.push(at + 1);
  return all;
}
