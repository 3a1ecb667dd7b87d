/** What a run of the rates is like, by its seed: profiles with small tables, so that they are full now and then, and times that wrap. */
import type { Platform } from '#config/platform.ts';
import { limits } from '#config/limits.ts';
import { Random } from '#test/kit/random.ts';
import type { Bounds } from '#test/simulation/node/settings.ts';

export interface RatesSettings extends Bounds {
  readonly seed: number;
  /** Threads that take tokens of the same table. */
  readonly gates: number;
  readonly addresses: number;
  /** Whether threads meet at the same cells. */
  readonly interleaves: boolean;
  readonly platform: Platform;
  /** What the profiles promise, by their number; null where one limits nothing. */
  readonly declared: readonly (Declared | null)[];
}

/** A profile as an operator writes it. */
export interface Declared {
  readonly burst: number;
  readonly perSecond: number;
  readonly entriesMax: number;
  readonly idleMs: number;
}

export function ratesSettingsOf(seed: number, { turns, falls }: Bounds): RatesSettings {
  const random = new Random(seed ^ 0x4a7e5);
  const profile = (): Declared => ({
    burst: 1 + random.below(6),
    perSecond: random.pick([1 / 60, 1 / 4, 1 / 3, 1, 7, 100]),
    entriesMax: random.pick([1, 3, 4, 16, 40]),
    idleMs: random.pick([60_000, 300_000, 600_000]),
  });
  const own = Array.from({ length: 1 + random.below(2) }, profile);
  const [caller, ceiling] = [profile(), profile()];
  const usual = Object.keys(limits.rates);
  const profiles = Object.fromEntries([
    ...usual.map((name) => [name, 'off'] as const),
    ...own.map(({ perSecond, ...rest }, no) => [`p${no}`, { ...rest, per_second: perSecond }] as const),
  ]);
  const ratelimit = {
    per_ip: caller.perSecond,
    per_ip_burst: caller.burst,
    max_ips: caller.entriesMax,
    global: ceiling.perSecond,
    global_burst: ceiling.burst,
    ip_ttl: `${caller.idleMs / 1000}s`,
  };
  return {
    seed,
    turns: Math.min(turns, 10 + random.below(50)),
    falls: Math.min(falls, random.below(5)),
    gates: 1 + random.below(3),
    addresses: random.pick([1, 3, 8, 60]),
    interleaves: random.chance(0.7),
    platform: { rates: { profiles, ipv6_prefix: 64 }, intake: { ratelimit } } as unknown as Platform,
    // As runtime/door/rates.ts orders them.
    declared: [...usual.map(() => null), ...own, caller, { ...ceiling, entriesMax: 1, idleMs: caller.idleMs }],
  };
}
