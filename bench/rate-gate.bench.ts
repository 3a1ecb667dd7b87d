/** The rate gate's decision in shared memory, granted and refused. */
import { compileProfile } from '#actors/rates/profile.ts';
import { RateGate } from '#actors/rates/gate.ts';
import { monotonicClock } from '#actors/rates/monotonic-clock.ts';
import { createRateTable } from '#actors/rates/table.ts';
import type { BenchCase } from './harness.ts';
import { functionMs, timeFunction } from './kit/function-bench.ts';

const CALLERS = 10_000;
const TENANT = 7;
/** Large enough that the callers of the bench are granted every time. */
const WIDE = { burst: 500_000, perSecond: 1_000_000 };
const NARROW = { burst: 1, perSecond: 0.001 };

export const rateGate: BenchCase = {
  name: 'rate-gate',
  measures: 'one decision of the rate gate: one caller, 10,000 callers, a refused one',
  target: '',
  http: false,
  seconds: (options) => (4 * functionMs(options)) / 1000,
  async run({ options }) {
    const profiles = [compileProfile('wide', WIDE), compileProfile('narrow', NARROW)];
    const gate = new RateGate(createRateTable({ profiles, seed: [0x5eed, 0xbee5] }), profiles, monotonicClock);
    const ips = Array.from({ length: CALLERS }, (_, i) => `10.0.${i >> 8}.${i & 255}`);
    let next = 0;
    const many = (): number => gate.take(0, TENANT, ips[(next = (next + 1) % CALLERS)]!);
    gate.take(1, TENANT, ips[0]!);
    if (gate.take(0, TENANT, ips[0]!) !== 0 || gate.take(1, TENANT, ips[0]!) === 0)
      throw new Error('the gate does not decide as the bench means it to');
    const ms = functionMs(options);
    return [
      await timeFunction('rate-gate one caller', () => gate.take(0, TENANT, ips[0]!), ms),
      await timeFunction(`rate-gate ${CALLERS} callers`, many, ms),
      await timeFunction('rate-gate refused', () => gate.take(1, TENANT, ips[0]!), ms),
    ];
  },
};
