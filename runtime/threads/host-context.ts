/** What behaviour takes from its thread: the clock, ids, randomness, keys. */
import { randomBytes } from 'node:crypto';
import type { Platform } from '#config/platform.ts';
import type { Context } from '#actors/host/activation.ts';
import { systemClock } from '#actors/kit/clock.ts';
import { IdSource } from '#actors/kit/id.ts';

/** Of all tenants of a host. */
export function hostContext(
  { jwks }: Platform,
  parts: Pick<Context, 'log' | 'ring' | 'beginSlice' | 'degraded' | 'pulse'>,
): Context {
  return {
    ...parts,
    clock: systemClock,
    ids: new IdSource(systemClock),
    random: randomBytes,
    checksAudience: jwks.check_audience,
  };
}
