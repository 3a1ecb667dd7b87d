/** A small line of what a figure was, from zero on. It repeats what the text beside it says. */
export interface TrendPoint {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Null where there was nothing to measure: the line has a gap there. */
  readonly value: number | null;
}

export function Trend({ points }: { readonly points: readonly TrendPoint[] }) {
  return (
    <svg className="spark" viewBox="0 0 100 28" preserveAspectRatio="none" aria-hidden>
      <path d={pathOf(points)} />
    </svg>
  );
}

function pathOf(points: readonly TrendPoint[]): string {
  if (points.length < 2) return '';
  const [first] = points;
  const last = points.at(-1)!;
  const most = Math.max(1e-9, ...points.map(({ value }) => value ?? 0));
  const x = (at: number): number => ((at - first!.at) / (last.at - first!.at)) * 100;
  let isGap = true;
  let path = '';
  for (const { at, value } of points) {
    if (value !== null) path += `${isGap ? 'M' : 'L'}${x(at).toFixed(2)} ${(27 - (value / most) * 26).toFixed(2)}`;
    isGap = value === null;
  }
  return path;
}
