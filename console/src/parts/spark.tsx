/** A line of what a figure was while this page was open, an hour at most, from zero on. It repeats what the text beside it says. */
import { useEffect, useState } from 'react';

interface Sample {
  readonly at: number;
  readonly value: number;
}

const HOUR_MS = 60 * 60_000;
/** One in ten seconds for an hour. */
const SAMPLES_MAX = 360;

/** By the name of the figure: another page, and the way back, loses nothing. */
const kept = new Map<string, Sample[]>();

export function Spark({ name, at, value }: { readonly name: string; readonly at: number; readonly value: number }) {
  const [samples, setSamples] = useState<readonly Sample[]>(kept.get(name) ?? []);
  useEffect(() => {
    const earlier = (kept.get(name) ?? []).filter((sample) => sample.at > at - HOUR_MS && sample.at < at);
    const all = [...earlier, { at, value }].slice(-SAMPLES_MAX);
    kept.set(name, all);
    setSamples(all);
  }, [name, at, value]);
  return (
    <svg className="spark" viewBox="0 0 100 28" preserveAspectRatio="none" aria-hidden>
      <path d={pathOf(samples)} />
    </svg>
  );
}

function pathOf(samples: readonly Sample[]): string {
  if (samples.length < 2) return '';
  const [first] = samples;
  const last = samples.at(-1)!;
  const most = Math.max(1, ...samples.map(({ value }) => value));
  const x = (at: number): number => ((at - first!.at) / (last.at - first!.at)) * 100;
  return samples
    .map(({ at, value }, i) => `${i === 0 ? 'M' : 'L'}${x(at).toFixed(2)} ${(27 - (value / most) * 26).toFixed(2)}`)
    .join('');
}
