/** Writes one after the other, until all are done, the reader stops, or the node answers no further. What was written stays, and all of it is told. No part of it knows the network. */

export interface Outcome<T> {
  readonly done: readonly T[];
  readonly refused: readonly { readonly item: T; readonly error: Error }[];
  /** Those that were not begun. */
  readonly left: readonly T[];
  /** Why it went no further; null where the reader stopped it, or all were tried. */
  readonly halt: Error | null;
}

/** `told` hears how far it is after each; it gives false to stop. `done`: what an earlier try has written. */
export async function oneByOne<T>(
  items: readonly T[],
  act: (item: T) => Promise<unknown>,
  told: (so: Outcome<T>) => boolean,
  done: readonly T[] = [],
): Promise<Outcome<T>> {
  let so: Outcome<T> = { done, refused: [], left: items, halt: null };
  while (so.left.length > 0) {
    const [item, ...left] = so.left as [T, ...T[]];
    try {
      await act(item);
      so = { ...so, done: [...so.done, item], left };
    } catch (thrown) {
      const error = thrown as Error;
      const halt = isOfRow(error) ? null : error;
      so = { ...so, refused: [...so.refused, { item, error }], left, halt };
    }
    if (!told(so) || so.halt !== null) break;
  }
  return so;
}

/** What is tried again: each that was refused, as its reader was told that it is by now, and those that were not begun. */
export const restOf = <T>({ refused, left }: Outcome<T>, asTold: (item: T, error: Error) => T): T[] => [
  ...refused.map(({ item, error }) => asTold(item, error)),
  ...left,
];

/** Whether the next row may fare better: a row that is gone, changed or refused says nothing of others; a login that ended, a full bucket, or a node that gives no answer does. */
function isOfRow(error: Error): boolean {
  // Of an error of the client; 0 where no answer came.
  const { status } = error as { readonly status?: number };
  return status === undefined || (status >= 400 && status < 500 && status !== 401 && status !== 429);
}
