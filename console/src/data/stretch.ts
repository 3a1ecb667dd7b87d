/** A browser shows no element of any height: of a view with more rows than fit one, the grid shows the stretch in which the active cell is. Pure. */
export interface Stretch {
  /** The place of its first row among all. */
  readonly first: number;
  readonly length: number;
}

/** At 32 px each they are as high as every browser shows. */
export const STRETCH_ROWS = 500_000;

/** `at`: a row in it, as far as there is one. */
export function stretchOf(at: number, length: number): Stretch {
  const within = Math.max(0, Math.min(at, length - 1));
  const first = within - (within % STRETCH_ROWS);
  return { first, length: Math.min(STRETCH_ROWS, length - first) };
}
