/** What one run is like: everything follows from the seed, within bounds that a shrinking makes smaller. */
import { Random } from '#test/kit/random.ts';

export interface Bounds {
  /** Turns that clients ask for, at most. */
  readonly turns: number;
  /** Falls of the machine and ends of threads, at most. */
  readonly falls: number;
}

export const USUAL: Bounds = { turns: 60, falls: 4 };

export interface Settings extends Bounds {
  readonly seed: number;
  readonly clients: number;
  readonly tenants: number;
  readonly segmentBytes: number;
  readonly putsMax: number;
  readonly keeps: boolean;
  /** Records of a segment of an audit log. */
  readonly recordsMax: number;
  readonly hasAudit: boolean;
  readonly hasDiskFaults: boolean;
}

export function settingsOf(seed: number, { turns, falls }: Bounds): Settings {
  const random = new Random(seed ^ 0x5eed);
  return {
    seed,
    clients: 1 + random.below(6),
    tenants: 1 + random.below(3),
    segmentBytes: random.pick([4096, 8192, 16_384]),
    putsMax: random.pick([3, 7, 1000]),
    keeps: random.chance(0.2),
    recordsMax: random.pick([3, 10, 1000]),
    hasAudit: random.chance(0.6),
    hasDiskFaults: random.chance(0.2),
    turns: Math.min(turns, 5 + random.below(USUAL.turns)),
    falls: Math.min(falls, random.below(USUAL.falls + 1)),
  };
}
