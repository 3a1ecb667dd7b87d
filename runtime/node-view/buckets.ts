/** The rate profiles and what their buckets hold. Main reads counters of shared memory; the buckets themselves are looked at by the rate-keeper alone. */
import { sourceOf, type Source } from '#config/sources.ts';
import type { NodeBuckets, ProfileBuckets } from '#actors/protocol/node-view.ts';
import { compileRoutes } from '#runtime/compile-routes.ts';
import type { ProfileCounts } from '#runtime/door/rates.ts';
import type { ViewParts } from './view-parts.ts';

type Parts = Pick<ViewParts, 'directory' | 'live' | 'rates'>;

/** Where the platform file has the numbers of profiles that are no rows of `rates`. */
const ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  intake_ip: ['intake', 'ratelimit', 'per_ip'],
  intake_global: ['intake', 'ratelimit', 'global'],
};

export class BucketsView {
  readonly #parts: Parts;
  /** By profile; made once, when it is asked for. */
  #routes: ReadonlyMap<string, readonly string[]> | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** `tenantsMax`: tenants of each profile. */
  list(tenantsMax: number): NodeBuckets {
    const profiles = this.#parts.rates.profiles(tenantsMax).map((counts) => this.#profileOf(counts));
    return { profiles: profiles.sort((a, b) => b.refused - a.refused || b.callers - a.callers) };
  }

  #profileOf(counts: ProfileCounts): ProfileBuckets {
    const { profile, off, burst, perSecond, entries, entriesMax, taken, spent, refused, overflowed } = counts;
    const { source, from } = this.#sourceOf(profile);
    return {
      profile,
      off,
      burst: off ? null : burst,
      per_second: off ? null : Number(perSecond.toPrecision(6)),
      source,
      from,
      routes: this.#routesOf(profile),
      callers: entries,
      callers_max: entriesMax,
      taken,
      spent,
      refused,
      overflowed,
      tenants: counts.tenants.map(({ no, ...count }) => ({
        tenant: this.#parts.directory.byNo(no)?.position.key ?? null,
        ...count,
      })),
    };
  }

  #sourceOf(profile: string): Source | { readonly source: null; readonly from: null } {
    const path = ELSEWHERE[profile] ?? ['rates', profile];
    return sourceOf(this.#parts.live.platform, path) ?? { source: null, from: null };
  }

  #routesOf(profile: string): readonly string[] {
    this.#routes ??= routesByProfile(this.#parts);
    return this.#routes.get(profile) ?? [];
  }
}

function routesByProfile({ live }: Parts): ReadonlyMap<string, readonly string[]> {
  const limited = compileRoutes(live.platform).filter(({ row }) => row.rate !== undefined);
  const byProfile = Map.groupBy(limited, ({ row }) => row.rate!);
  return new Map(
    Array.from(byProfile, ([profile, routes]) => [
      profile,
      routes.map(({ row }) => `${row.methods.join('|')} ${row.path}`),
    ]),
  );
}
