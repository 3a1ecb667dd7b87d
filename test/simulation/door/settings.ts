/** What a run of the door is like, by its seed. */
import type { Platform } from '#config/platform.ts';
import { limits } from '#config/limits.ts';
import { Random } from '#test/kit/random.ts';
import type { Bounds } from '#test/simulation/node/settings.ts';

export const DATA_DIR = '/sim/data';

export interface DoorSettings extends Bounds {
  readonly seed: number;
  /** Connections that send at the same time. */
  readonly connections: number;
  readonly hosts: number;
  readonly tenants: number;
  /** Whether requests may hold their host's thread until the watchdog ends it. */
  readonly stands: boolean;
  /** Whether an operator suspends and resumes a tenant meanwhile. */
  readonly suspends: boolean;
  readonly replaceAfterMs: number;
  readonly refuseForMs: number;
  readonly segmentBytes: number;
  /** Whether syncs may fail. */
  readonly hasDiskFaults: boolean;
  /** The rate of the routes that write, for each caller. */
  readonly writes: { readonly burst: number; readonly perSecond: number };
  readonly platform: Platform;
}

export function doorSettingsOf(seed: number, { turns, falls }: Bounds): DoorSettings {
  const random = new Random(seed ^ 0xd008);
  const hosts = 1 + random.below(2);
  const settings = {
    seed,
    turns: Math.min(turns, 10 + random.below(50)),
    falls: Math.min(falls, random.below(5)),
    connections: 1 + random.below(12),
    hosts,
    tenants: 1 + random.below(3),
    stands: random.chance(0.3),
    suspends: random.chance(0.2),
    replaceAfterMs: random.pick([3000, 5000, 10_000]),
    refuseForMs: random.pick([1000, 20_000]),
    segmentBytes: random.pick([4096, 16_384, 1_048_576]),
    writes: { burst: 1 + random.below(8), perSecond: random.pick([0.5, 3, 50]) },
    hasDiskFaults: random.chance(0.4),
  };
  return { ...settings, platform: platformOf(hosts, settings.writes) };
}

/** What the supervisor and the rates read of a platform file. */
function platformOf(hosts: number, { burst, perSecond }: DoorSettings['writes']): Platform {
  const profile = { burst, per_second: perSecond };
  const usual = Object.keys(limits.rates).map((name) => [name, 'off'] as const);
  const ratelimit = { per_ip: 1, per_ip_burst: 1, max_ips: 4, global: 1, global_burst: 1, ip_ttl: '60s' };
  return {
    hosts,
    service: null,
    storage: { dir: DATA_DIR, journal: { driver: 'file' } },
    rates: { profiles: Object.fromEntries([...usual, ['writes', profile]]), ipv6_prefix: 64 },
    intake: { ratelimit, notify: { enabled: false } },
    identity: {},
    telemetry: {},
    audit: { enabled: false },
    vault: { enabled: false },
    backups: { journal: { every: 'off' } },
    hives: { tenant: [] },
    content: { contentsource: { type: 'meta' } },
  } as unknown as Platform;
}
