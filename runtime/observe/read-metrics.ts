/** Reads the Prometheus text format 0.0.4 back, as the node itself writes it (exposition.ts). */

export type Labels = Readonly<Record<string, string>>;

interface Sample {
  readonly labels: Labels;
  readonly value: number;
}

/** A cumulated histogram: how many were at most `upTo`, ascending, the last without a bound. */
export type Buckets = readonly (readonly [upTo: number, count: number])[];

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/s;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;
const ESCAPES: Labels = { '\\n': '\n', '\\\\': '\\', '\\"': '"' };

export class Metrics {
  readonly #samples: ReadonlyMap<string, readonly Sample[]>;

  private constructor(samples: ReadonlyMap<string, readonly Sample[]>) {
    this.#samples = samples;
  }

  /** A line that is none, as of a later format, is left out. */
  static of(text: string): Metrics {
    const samples = new Map<string, Sample[]>();
    for (const line of text.split('\n')) {
      const [, name, labels = '', value] = LINE.exec(line) ?? [];
      if (name === undefined) continue;
      const all = samples.get(name) ?? [];
      samples.set(name, all);
      all.push({ labels: labelsOf(labels), value: value === '+Inf' ? Infinity : Number(value) });
    }
    return new Metrics(samples);
  }

  /** The series of a metric that have these labels, added up; 0 where there is none. */
  sum(name: string, match: Labels = {}): number {
    return this.#of(name, match).reduce((sum, { value }) => sum + value, 0);
  }

  /** The values of a label, in the order of their first series. */
  labels(name: string, label: string): string[] {
    return [...new Set(this.#of(name, {}).flatMap(({ labels }) => labels[label] ?? []))];
  }

  /** The histograms that have these labels, added up. */
  buckets(name: string, match: Labels = {}): Buckets {
    const counts = new Map<number, number>();
    for (const { labels, value } of this.#of(`${name}_bucket`, match)) {
      const upTo = labels['le'] === '+Inf' ? Infinity : Number(labels['le']);
      counts.set(upTo, (counts.get(upTo) ?? 0) + value);
    }
    return [...counts].sort(([a], [b]) => a - b);
  }

  #of(name: string, match: Labels): readonly Sample[] {
    const wanted = Object.entries(match);
    const all = this.#samples.get(name) ?? [];
    return all.filter(({ labels }) => wanted.every(([label, value]) => labels[label] === value));
  }
}

function labelsOf(text: string): Labels {
  const pairs = [...text.matchAll(LABEL)].map(([, name, value]) => [name!, value!.replaceAll(/\\./g, unescaped)]);
  return Object.fromEntries(pairs) as Labels;
}

const unescaped = (escape: string): string => ESCAPES[escape] ?? escape;

/** What came between two scrapes. A counter that stepped back began anew: then all of it came. */
export function between(before: Buckets, after: Buckets): Buckets {
  const old = new Map(before);
  const restarted = after.some(([upTo, count]) => count < (old.get(upTo) ?? 0));
  return restarted ? after : after.map(([upTo, count]) => [upTo, count - (old.get(upTo) ?? 0)]);
}

/**
 * The value below which a share of the observations lies, as PromQL's `histogram_quantile` estimates it: even within a bucket, and the largest
 * bound for what lies above all of them. NaN without observations.
 */
export function quantile(share: number, buckets: Buckets): number {
  const total = buckets.at(-1)?.[1] ?? 0;
  if (total === 0) return NaN;
  const rank = share * total;
  const at = buckets.findIndex(([, count]) => count >= rank);
  const [upTo, count] = buckets[at]!;
  const [from, below] = buckets[at - 1] ?? [0, 0];
  return upTo === Infinity ? from : from + ((upTo - from) * (rank - below)) / (count - below);
}
