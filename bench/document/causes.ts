/**
 * Why a figure of docs/benchmarks.md misses what is wanted of it, on the machine of that page, and what was tried. A run says what, and not why: these are written by hand when a run is published, and go when the figure is reached.
 */
import type { Figure } from '#bench/kit/figure.ts';

interface Cause {
  readonly why: string;
  /** Ways that were tried and did not reach it, each with what it gave. */
  readonly tried: readonly string[];
}

const OF_CREATES: Cause = {
  why: 'The cores are full: of some 60 µs of processor time a create, the host takes 24, the door 13, the journal’s threads and garbage 15, the load 9; the longest answers wait for a collection of garbage, since what is written stays in the overlay for seconds.',
  tried: [
    'V8’s young generation at 2, 4 and 16 MB: 22,000 to 28,600 a second and a p99 of 8.4 to 12 ms with each',
    'fewer threads of libuv, larger sweeps, smaller batches: no difference',
    'the journal in memory, then the whole store: a p99 of 10 to 14 ms all the same, so it is not the disk',
  ],
};

const CAUSES: Readonly<Record<string, Cause>> = {
  'create-64': OF_CREATES,
  'create-256': OF_CREATES,
};

/** Null where nothing is known. */
export const causeOf = ({ name, rival }: Pick<Figure, 'name' | 'rival'>): Cause | null =>
  CAUSES[rival === undefined ? name : `${name} beside ${rival.name}`] ?? null;
