/** What a run of nodes on one log is like, by its seed. */
import { Random } from '#test/kit/random.ts';
import type { Bounds } from '#test/simulation/node/settings.ts';

export const SHARDS = [0, 1];
/** Counts of each shard. */
export const COUNTS = [0, 1, 2];

/** What mostly goes wrong: `network`: links and standstills, by turns without a break, over several leases; `database`: its standby, its waits; `ends`: processes and stores; `all`: each of it. */
export type Theme = 'network' | 'database' | 'ends' | 'all';

export interface ClusterSettings extends Bounds {
  readonly seed: number;
  readonly theme: Theme;
  /** Of each node, how fast its clocks go: a tenth apart where the lease counts, anything where reads are confirmed. */
  readonly rates: readonly number[];
  /** Of each node, by how much its wall clock is wrong, milliseconds. */
  readonly skews: readonly number[];
  readonly reads: 'lease' | 'confirmed';
  readonly leaseMs: number;
  /** Bytes of an entry: small, so that records are cut into parts. */
  readonly entryBytesMax: number;
  /** Writes of one commit of a store: few, so that a crash tears it. */
  readonly putsMax: number;
  readonly readBytesMax: number;
  /** How often the database's standby lets others go first. */
  readonly standbySlow: number;
  /** Milliseconds between two calls of clients, on the average twice. */
  readonly gapMs: number;
  /** Writes without an answer with which a host gets no further one from clients: what reads a row that waits for its record waits, too. */
  readonly unansweredMax: number;
  /** Whether nodes that wait run hosts for the one that serves. */
  readonly carries: boolean;
  /** Whether, in the end, the database is put back from a copy of earlier. */
  readonly isPutBack: boolean;
}

export function clusterSettingsOf(seed: number, { turns, falls }: Bounds): ClusterSettings {
  const random = new Random(seed ^ 0xc1a57e6);
  const reads = random.chance(0.7) ? 'lease' : 'confirmed';
  const theme = random.pick<Theme>(['network', 'network', 'database', 'ends', 'all']);
  const nodes = 2 + random.below(2);
  // Often at the two ends: that is where a rule about clocks breaks.
  const rateOf = (): number =>
    reads === 'confirmed'
      ? 0.2 + 1.6 * random.next()
      : theme === 'network' || random.chance(0.5)
        ? random.pick([0.9, 1.1])
        : 0.9 + 0.2 * random.next();
  return {
    seed,
    theme,
    rates: Array.from({ length: nodes }, rateOf),
    skews: Array.from({ length: nodes }, () => random.below(20_000) - 10_000),
    reads,
    leaseMs: theme === 'network' ? 1500 : random.pick([1500, 3000]),
    entryBytesMax: random.pick([150, 400, 100_000]),
    putsMax: random.pick([1, 2, 5]),
    readBytesMax: random.pick([1, 300, 5000]),
    standbySlow: random.pick([0, 0.5, 0.9]),
    gapMs: theme === 'network' ? 60 : random.pick([40, 100, 200]),
    unansweredMax: theme === 'network' ? 1 : random.pick([2, 100]),
    carries: false,
    isPutBack: random.chance(0.25),
    turns: Math.min(turns, 20 + random.below(41)),
    falls: Math.min(falls, 1 + random.below(4)),
  };
}

/** Of nodes that run hosts for each other: three of them, so that one carries for another while a third one takes over. */
export function carrierSettingsOf(seed: number, bounds: Bounds): ClusterSettings {
  const usual = clusterSettingsOf(seed, bounds);
  const { rates, skews } = usual;
  const third = <T>(of: readonly T[]): T[] => [...of, of[0]!].slice(0, 3);
  return { ...usual, rates: third(rates), skews: third(skews), carries: true, isPutBack: false };
}
