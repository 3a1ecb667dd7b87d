/** The door's use of the shared buckets: profile names to decisions, decisions to refusals. */
import { randomBytes } from 'node:crypto';
import type { Platform } from '#config/platform.ts';
import { limits } from '#config/limits.ts';
import { durationMs } from '#config/values/duration.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { retryAfter } from '#actors/protocol/retry-after.ts';
import { refuse as refuseIntake } from '#actors/intake/refusals.ts';
import { RateGate } from '#actors/rates/gate.ts';
import { RateKeeper, type RateCounts } from '#actors/rates/keeper.ts';
import { ipKey } from '#actors/rates/ip-key.ts';
import { monotonicClock } from '#actors/rates/monotonic-clock.ts';
import { compileProfile, compileProfiles, type CompiledProfile } from '#actors/rates/profile.ts';
import { refuseRate, retrySeconds } from '#actors/rates/refuse.ts';
import { createRateTable } from '#actors/rates/table.ts';
import { MostRefused, type RefusedTenant } from '#runtime/observe/most-refused.ts';

const INTAKE_IP = 'intake_ip';
const INTAKE_GLOBAL = 'intake_global';

/** The node's profiles in the order of their numbers; the same in door and rate-keeper. */
export function profilesOf(platform: Platform): readonly CompiledProfile[] {
  const intake = platform.intake.ratelimit;
  const idleMs = durationMs(intake.ip_ttl);
  return [
    ...compileProfiles(limits.rates, platform.rates.profiles),
    compileProfile(INTAKE_IP, { burst: intake.per_ip_burst, perSecond: intake.per_ip }, intake.max_ips, idleMs),
    compileProfile(INTAKE_GLOBAL, { burst: intake.global_burst, perSecond: intake.global }, 1, idleMs),
  ];
}

export interface ProfileCounts extends RateCounts {
  readonly off: boolean;
  readonly burst: number;
  readonly perSecond: number;
  readonly tenants: readonly RefusedTenant[];
}

export class Rates {
  readonly buffer: SharedArrayBuffer;
  readonly #gate: RateGate;
  /** Used to read counters; the rate-keeper thread does the sweeping. */
  readonly #keeper: RateKeeper;
  readonly #profiles: readonly CompiledProfile[];
  /** By the number of the profile. A request that is granted does not touch it. */
  readonly #refused: readonly MostRefused[];
  readonly #index: ReadonlyMap<string, number>;
  readonly #ipv6Prefix: number;
  readonly #intakeIpv6Prefix: number;

  constructor(platform: Platform) {
    this.#profiles = profilesOf(platform);
    this.#refused = this.#profiles.map(() => new MostRefused(limits.nodeView.refusedTenantsKept));
    this.#index = new Map(this.#profiles.map((profile, i) => [profile.name, i]));
    this.#ipv6Prefix = platform.rates.ipv6_prefix;
    this.#intakeIpv6Prefix = platform.intake.ratelimit.ipv6_prefix ?? platform.rates.ipv6_prefix;
    const seed = randomBytes(8);
    this.buffer = createRateTable({ profiles: this.#profiles, seed: [seed.readInt32LE(0), seed.readInt32LE(4)] });
    this.#keeper = new RateKeeper(this.buffer, this.#profiles, monotonicClock);
    this.#gate = new RateGate(this.buffer, this.#profiles, monotonicClock);
  }

  /** Whether there is a profile of this name that limits anything. */
  has(name: string): boolean {
    const no = this.#index.get(name);
    return no !== undefined && !this.#profiles[no]!.off;
  }

  /** Takes one token of the caller's bucket; the refusal to send when there is none. An unknown profile has no limiter. */
  take(name: string, tenantNo: number, ip: string): Refusal | null {
    const no = this.#index.get(name);
    if (no === undefined) return null;
    if (name === INTAKE_IP) return this.#intake(no, tenantNo, ip);
    const waitMs = this.#gate.take(no, tenantNo, ipKey(ip, this.#ipv6Prefix));
    if (waitMs === 0) return null;
    this.#refused[no]!.count(tenantNo);
    return refuseRate(this.#profiles[no]!, waitMs);
  }

  /** The part of a caller's address that shares a bucket. */
  keyOf(ip: string): string {
    return ipKey(ip, this.#ipv6Prefix);
  }

  /** Counters of every profile, for /metrics. */
  counts(): RateCounts[] {
    return this.#keeper.counts();
  }

  /** Every profile with its counters and the tenants at which most callers were refused: at most so many of each. */
  profiles(tenants: number): ProfileCounts[] {
    return this.counts().map((counts, no) => {
      const { off, burst, costTicks, ticksPerMs } = this.#profiles[no]!;
      const perSecond = off ? 0 : (1000 * ticksPerMs) / costTicks;
      return { ...counts, off, burst, perSecond, tenants: this.#refused[no]!.list(tenants) };
    });
  }

  /**
   * A submission passes its caller's bucket (429), then the ceiling of all callers (503, shedding). Callers without an address share one
   * bucket with callers that find no place in the table. Spec: docs/contract/intake.md §6.2: fails closed.
   */
  #intake(no: number, tenantNo: number, ip: string): Refusal | null {
    const waitMs = ip === '' ? this.#gate.takeShared(no) : this.#gate.take(no, 0, ipKey(ip, this.#intakeIpv6Prefix));
    if (waitMs > 0) {
      this.#refused[no]!.count(tenantNo);
      return refuseIntake('intake.rate_limited', { headers: retryIn(waitMs) });
    }
    const shared = this.#index.get(INTAKE_GLOBAL)!;
    const sharedWaitMs = this.#gate.take(shared, 0, '');
    if (sharedWaitMs === 0) return null;
    this.#refused[shared]!.count(tenantNo);
    return refuseIntake('intake.shedding', { headers: retryIn(sharedWaitMs) });
  }
}

const retryIn = (waitMs: number) => retryAfter(retrySeconds(waitMs));
