/** Processes below one that we started, from Linux's /proc. */
import { readdirSync, readFileSync } from 'node:fs';

/** Process ids that `pid` started, whichever of its threads did. */
function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((tid) =>
      readFileSync(`/proc/${pid}/task/${tid}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}

type Children = (pid: number) => readonly number[];

/** The last process of a chain of single children: the server behind `npm start`, or `pid` itself. */
export function leafOf(pid: number, children: Children = childrenOf): number {
  let leaf = pid;
  for (let below = children(leaf); below.length > 0; below = children(leaf)) leaf = below[0]!;
  return leaf;
}

/** All processes below `pid`, not itself. */
export function descendantsOf(pid: number, children: Children = childrenOf): number[] {
  return children(pid).flatMap((child) => [child, ...descendantsOf(child, children)]);
}
