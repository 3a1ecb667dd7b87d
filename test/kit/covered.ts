/** Which cells of a table campaigns have covered: names of a group and a number, `journal segment/write/EIO/7`. Numbers of a group are written as ranges. */

export interface Covered {
  /** How many cells the table has: those that were covered before and those of a node of this run, which differ a little from run to run. */
  readonly of: number;
  /** Ranges of numbers by group: `1-4,7`. */
  readonly cells: Readonly<Record<string, string>>;
}

export function covered(of: number, names: Iterable<string>): Covered {
  const groups = new Map<string, number[]>();
  for (const name of new Set(names)) {
    const end = name.lastIndexOf('/');
    const group = name.slice(0, end);
    groups.set(group, [...(groups.get(group) ?? []), Number(name.slice(end + 1))]);
  }
  const sorted = [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { of, cells: Object.fromEntries(sorted.map(([group, numbers]) => [group, rangesOf(numbers)])) };
}

export function* namesIn({ cells }: Covered): Generator<string> {
  for (const [group, ranges] of Object.entries(cells))
    for (const range of ranges.split(',')) {
      const [from = 0, to = from] = range.split('-').map(Number);
      for (let no = from; no <= to; no++) yield `${group}/${no}`;
    }
}

/** What several runs, the newest last, have covered of one table: that of the newest. */
export function union(all: readonly Covered[]): Covered {
  return covered(all.at(-1)?.of ?? 0, new Set(all.flatMap((one) => [...namesIn(one)])));
}

function rangesOf(numbers: readonly number[]): string {
  const ranges: [from: number, to: number][] = [];
  for (const no of numbers.toSorted((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === no - 1) last[1] = no;
    else ranges.push([no, no]);
  }
  return ranges.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join(',');
}
