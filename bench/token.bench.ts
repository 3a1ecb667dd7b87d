/** Bearer tokens: a verified one met again, and one never seen before. */
import { randomBytes } from 'node:crypto';
import { limits } from '#config/limits.ts';
import { BearerCheck } from '#actors/kit/bearer.ts';
import { NO_SESSIONS } from '#actors/kit/session-gate.ts';
import { systemClock } from '#actors/kit/clock.ts';
import { mintServiceToken } from '#actors/kit/token/mint.ts';
import { ringOf } from '#actors/kit/token/ring.ts';
import { newSigningKey } from '#actors/kit/token/signing-key.ts';
import { positionOf } from '#actors/protocol/position.ts';
import type { BenchCase } from './harness.ts';
import { functionMs, timeFunction } from './kit/function-bench.ts';

const position = positionOf('acme', 'atlas', 'dev', 'main')!;

export const tokenVerify: BenchCase = {
  name: 'token-verify',
  measures: 'bearer token, cached and cold (Ed25519 verified), and minting one',
  target: '',
  http: false,
  seconds: (options) => (4 * functionMs(options)) / 1000,
  async run({ options }) {
    const ring = ringOf([newSigningKey({ clock: systemClock, random: randomBytes })]);
    const context = { clock: systemClock, ring };
    const mint = (): string =>
      mintServiceToken(ring, systemClock.now(), {
        keyId: '01J00000000000000000000000',
        tenant: position.key,
        scope: ['acme:dev:atlas:main'],
        audience: null,
        lifetimeSeconds: limits.identity.serviceTokenSeconds,
      });
    const authorization = `Bearer ${mint()}`;
    const check = new BearerCheck(context, 'data');
    if (check.check(authorization, position, NO_SESSIONS) === null) throw new Error('the token is not honoured');
    const ms = functionMs(options);
    return [
      await timeFunction('token-verify cached', () => check.check(authorization, position, NO_SESSIONS), ms),
      await timeFunction(
        'token-verify cold',
        () => new BearerCheck(context, 'data').check(authorization, position, NO_SESSIONS),
        ms,
      ),
      await timeFunction('token-mint', mint, ms),
    ];
  },
};
