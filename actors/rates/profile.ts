/** Rate profiles as the gate counts them: whole ticks, each profile with ticks as fine as 32 bits allow. */
import { limits } from '#config/limits.ts';
import type { RateProfile } from '#config/rate-limits.ts';

/** `rates.<profile>` of the platform file: other numbers, or `off` for never limited (docs/contract/common.md §5.2). */
export type RateOverride = 'off' | RateSettings;

export interface RateSettings {
  readonly burst: number;
  readonly per_second: number;
  /** Intake's `max_ips` and `ip_ttl`. */
  readonly entriesMax?: number;
  readonly idleMs?: number;
}

export interface CompiledProfile {
  readonly name: string;
  readonly off: boolean;
  readonly burst: number;
  /** Callers kept at a time; the others share the overflow bucket. */
  readonly entriesMax: number;
  readonly ticksPerMs: number;
  /** What one request costs. Rounded up, so that rounding never grants more. */
  readonly costTicks: number;
  /** A full bucket: burst × cost. */
  readonly windowTicks: number;
  /** How long a bucket stays full before its entry is given up. */
  readonly idleTicks: number;
}

const TICKS_PER_MS_MAX = 2 ** 16;
/** Times are compared by signed 32-bit difference; everything that lives must lie within half of its positive range. */
const SPAN_TICKS_MAX = 2 ** 30;
/** Beyond this difference a time of the past passes for one of the future. */
const SIGN_TICKS = 2 ** 31;
/**
 * An entry whose time has passed stays in the table until the keeper's next pass. Its instant must not wrap round into the future before
 * that: three passes, because one may come late and another be lost with its thread.
 */
const UNSWEPT_MS = 3 * limits.rateTable.sweepMs;

/** Compiles one profile. Throws on numbers that no bucket can have. */
export function compileProfile(
  name: string,
  rate: RateProfile | 'off',
  entriesMax: number = limits.intake.ipEntriesMax,
  idleMs: number = limits.intake.ipIdleMs,
): CompiledProfile {
  if (rate === 'off') return offProfile(name);
  if (!Number.isSafeInteger(rate.burst) || rate.burst < 1) throw new Error(`rate ${name}: burst must be at least 1`);
  if (!(rate.perSecond > 0) || rate.perSecond > 1_000_000) throw new Error(`rate ${name}: rate out of range`);
  const costMs = 1000 / rate.perSecond;
  const ticksPerMs = finestTicks(rate.burst * costMs + idleMs);
  const costTicks = Math.ceil(costMs * ticksPerMs);
  const windowTicks = rate.burst * costTicks;
  if (windowTicks > SPAN_TICKS_MAX) throw new Error(`rate ${name}: burst too large for its rate`);
  const idleTicks = Math.ceil(idleMs * ticksPerMs);
  return { name, off: false, burst: rate.burst, entriesMax, ticksPerMs, costTicks, windowTicks, idleTicks };
}

/** The node's profiles in a fixed order: the declared ones, then those that only the platform file names. */
export function compileProfiles(
  declared: Readonly<Record<string, RateProfile>>,
  overrides: Readonly<Record<string, RateOverride>> = {},
): readonly CompiledProfile[] {
  const names = [...new Set([...Object.keys(declared), ...Object.keys(overrides)])];
  return names.map((name) => {
    const override = overrides[name];
    if (override === undefined) return compileProfile(name, declared[name]!);
    if (override === 'off') return compileProfile(name, 'off');
    const { burst, per_second: perSecond, entriesMax, idleMs } = override;
    return compileProfile(name, { burst, perSecond }, entriesMax, idleMs);
  });
}

function finestTicks(spanMs: number): number {
  let ticks = TICKS_PER_MS_MAX;
  while (spanMs * ticks > SPAN_TICKS_MAX / 2 || (spanMs + UNSWEPT_MS) * ticks > SIGN_TICKS) ticks /= 2;
  return ticks;
}

function offProfile(name: string): CompiledProfile {
  return { name, off: true, burst: 0, entriesMax: 0, ticksPerMs: 1, costTicks: 0, windowTicks: 0, idleTicks: 0 };
}
