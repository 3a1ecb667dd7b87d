/** Processes below one that we started, from Linux's /proc. */
import { readFileSync } from 'node:fs';

/** Process ids that `pid` started. */
function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** The last process of a chain of single children: the server behind `npm start`, or `pid` itself. */
export function leafOf(pid: number, children: (pid: number) => readonly number[] = childrenOf): number {
  let leaf = pid;
  for (let below = children(leaf); below.length > 0; below = children(leaf)) leaf = below[0]!;
  return leaf;
}
