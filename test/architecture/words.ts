/** Words that hide the subject of a sentence, counted by room. Pure. */
import type { SourceFile } from './source.ts';

/** A thread, a caller or a file is no person, and "nobody" has a name: a request, another process, an operator. */
const WORDS = /\b(?:he|his|him|himself|whoever|nobody)\b/gi;

/** How often the words stand in each room: folders of two levels, a floor's own files, a file of the root by its name. */
export function countWords(files: readonly SourceFile[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { path, text } of files) {
    const found = text.match(WORDS)?.length ?? 0;
    const room = roomOf(path);
    if (found > 0) counts.set(room, (counts.get(room) ?? 0) + found);
  }
  return counts;
}

function roomOf(path: string): string {
  const parts = path.split('/');
  return parts.length === 1 ? path : parts.slice(0, Math.min(2, parts.length - 1)).join('/');
}

/** Rooms with more of the words than their row allows, and rows of rooms that have none of them any more. */
export function checkWords(counts: ReadonlyMap<string, number>, allowed: Readonly<Record<string, number>>): string[] {
  const over = [...counts]
    .filter(([room, count]) => count > (allowed[room] ?? 0))
    .map(([room, count]) => `${room}: ${count}, at most ${allowed[room] ?? 0}: say who or what it is`);
  const stale = Object.keys(allowed)
    .filter((room) => !counts.has(room))
    .map((room) => `${room}: has none any more, so its row goes`);
  return [...over, ...stale];
}
