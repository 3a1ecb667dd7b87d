/** "Did you mean …": the known word nearest to what was written. */

/**
 * The nearest of `known`, or null when none is near: at most one edit in three letters, or the same letters in
 * another spelling (`trustedProxies`, `trusted-proxies`).
 */
export function suggest(word: string, known: readonly string[]): string | null {
  const plain = fold(word);
  let best: string | null = null;
  let bestDistance = Infinity;
  for (const candidate of known) {
    const distance = edits(plain, fold(candidate));
    if (distance >= bestDistance) continue;
    best = candidate;
    bestDistance = distance;
  }
  return bestDistance <= Math.max(1, Math.floor(plain.length / 3)) ? best : null;
}

/** How to mend an unknown word: the nearest known one, else all of them. */
export function suggestion(word: string, known: readonly string[]): string {
  const near = suggest(word, known);
  if (near !== null) return `did you mean "${near}"?`;
  return known.length === 0 ? 'remove it: no key is known here' : `known here: ${known.join(', ')}`;
}

function fold(word: string): string {
  return word.slice(0, 64).toLowerCase().replaceAll(/[-_.]/g, '');
}

/** Insertions, deletions, replacements and swaps of neighbours between two words. */
function edits(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, before[j - 2]! + 1);
      row.push(cost);
    }
    before = last;
    last = row;
  }
  return last[b.length]!;
}
