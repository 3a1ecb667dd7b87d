/** A line of what a figure was while this page was open, an hour at most, for figures of which the node keeps no hour. */
import { useEffect, useState } from 'react';
import { Trend } from './trend.tsx';

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
  return <Trend points={samples} />;
}
