/** Rows with computed fields, for writers that read slots: these get the values as further slots. */
import type { Slots } from './codec.ts';

interface Placed {
  readonly at: number;
  readonly compute?: (slots: Slots) => unknown;
}

/** Makes a writer of columns some of which are computed: they are computed once for each row. Other columns are written as they are, by the writer itself. */
export function withComputed<C extends Placed, W>(
  columns: readonly C[],
  writerOf: (columns: readonly C[]) => (slots: Slots) => W,
): (slots: Slots) => W {
  const base = 1 + Math.max(...columns.map(({ at }) => at));
  const computes: ((slots: Slots) => unknown)[] = [];
  const placed = columns.map((column) => {
    const { compute, ...stored } = column;
    return (compute === undefined ? column : { ...stored, at: base - 1 + computes.push(compute) }) as C;
  });
  const write = writerOf(placed);
  return (slots) => {
    const wide = slots.slice(0, base);
    for (const compute of computes) wide.push(compute(slots));
    return write(wide);
  };
}

export const isComputed = ({ compute }: Placed): boolean => compute !== undefined;
