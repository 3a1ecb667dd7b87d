/** A service key for a service token, inside the host: the route's profile gives a caller one a second. */
import { sign } from 'node:crypto';
import type { BenchCase } from './harness.ts';
import { ratioOf, type Pair } from './kit/figure.ts';
import { functionMs, timeFunction } from './kit/function-bench.ts';
import { openIdentityHost } from './kit/identity-host.ts';
import { median } from './kit/stats.ts';

/** About what is signed of a token: header, claims, footer, and the lengths between them. */
const MESSAGE = Buffer.alloc(420, 0x5e);

export const exchange: BenchCase = {
  name: 'exchange',
  measures: 'a service key exchanged inside the host, beside what node:crypto signs in the same run',
  target: '≥ 0.5 × or ≥ 8,000 op/s',
  http: false,
  seconds: (options) => (2.5 * options.pairs * functionMs(options)) / 1000,
  async run({ options }) {
    const host = await openIdentityHost();
    try {
      const authorization = `ApiKey ${host.key({ scope: ['acme:dev:atlas:main'] })}`;
      const run = () => host.ask('exchangeKey', authorization);
      if (run().status !== 200) throw new Error('the key is not exchanged');
      const { key } = host.context.ring.signing!;
      const pairs: Pair[] = [];
      const p50s: number[] = [];
      for (let i = 0; i < options.pairs; i++) {
        const signs = await timeFunction('signs', () => sign(null, MESSAGE, key), functionMs(options));
        const exchanges = await timeFunction('exchange', run, functionMs(options));
        pairs.push({ ceiling: signs.value, value: exchanges.value });
        p50s.push(exchanges.p50Ms!);
      }
      return [
        {
          name: 'exchange',
          unit: 'op/s',
          value: median(pairs.map(({ value }) => value)),
          p50Ms: median(p50s),
          ceiling: median(pairs.map(({ ceiling }) => ceiling)),
          ratio: ratioOf(pairs),
          pairs,
          errors: 0,
          target: { of: 'ratio', bound: 'min', than: 0.5 },
          note: 'hello: Ed25519 signs/s; 8,000 op/s would do too',
        },
      ];
    } finally {
      await host.close();
    }
  },
};
