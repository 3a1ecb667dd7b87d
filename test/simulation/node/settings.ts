/** What one run is like: everything follows from the seed, within bounds that a shrinking makes smaller. */
import { Random } from '#test/kit/random.ts';

/** Rooms that a run has or does not have, beside the host with its archive. */
export const EXTRA_ROOMS = ['audit', 'intake', 'tenants'] as const;
export type ExtraRoom = (typeof EXTRA_ROOMS)[number];

export interface Bounds {
  /** What clients ask for, at most. */
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
  readonly rooms: ReadonlySet<ExtraRoom>;
  readonly hasDiskFaults: boolean;
  readonly intake: IntakeWish;
}

export interface IntakeWish {
  /** Which of its files it has: the log, the database, or both. */
  readonly files: 'both' | 'log' | 'database';
  readonly rotate: 'daily' | 'none';
  readonly batchMax: number;
  readonly queueDepth: number;
}

/** `allowed`: rooms that this process has loaded. */
export function settingsOf(
  seed: number,
  { turns, falls }: Bounds,
  allowed: readonly ExtraRoom[] = EXTRA_ROOMS,
): Settings {
  const random = new Random(seed ^ 0x5eed);
  const common = {
    seed,
    clients: 1 + random.below(6),
    tenants: 1 + random.below(3),
    segmentBytes: random.pick([4096, 8192, 16_384]),
    putsMax: random.pick([3, 7, 1000]),
    keeps: random.chance(0.2),
    recordsMax: random.pick([3, 10, 1000]),
  };
  const wanted: Readonly<Record<ExtraRoom, boolean>> = {
    audit: random.chance(0.6),
    intake: random.chance(0.4),
    tenants: random.chance(0.4),
  };
  return {
    ...common,
    rooms: new Set(allowed.filter((room) => wanted[room])),
    hasDiskFaults: random.chance(0.4),
    turns: Math.min(turns, 5 + random.below(USUAL.turns)),
    falls: Math.min(falls, random.below(USUAL.falls + 1)),
    intake: {
      files: random.pick(['both', 'both', 'both', 'log', 'database']),
      rotate: random.pick(['daily', 'none']),
      batchMax: random.pick([1, 3, 64]),
      queueDepth: random.pick([2, 1024]),
    },
  };
}
