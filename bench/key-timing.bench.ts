/** Time must not reveal why a key is bad: four classes, interleaved, each call timed by itself. */
import type { BenchCase } from './harness.ts';
import type { Figure } from './kit/figure.ts';
import { openIdentityHost } from './kit/identity-host.ts';
import { percentile } from './kit/stats.ts';

const SAMPLES = 20_000;
const WARM_ROUNDS = 4000;
/** With fewer a median says nothing; `--seconds` shortens the run for a try. */
const SAMPLES_PER_SECOND = 10_000;
const SPREAD_MS_MAX = 0.002;
const LONG_AGO_MS = Date.UTC(2020, 0, 1);
const UNKNOWN = '7ZZZZZZZZZZZZZZZZZZZZZZZZZ';

export const keyTiming: BenchCase = {
  name: 'key-timing',
  measures:
    'refusing an unknown, a wrong, an expired and a malformed key inside the host: medians of 20,000 calls each',
  target: 'within 2 µs',
  http: false,
  seconds: () => 3,
  async run({ options }) {
    const host = await openIdentityHost();
    try {
      const [id, secret] = host.key({}).split('.') as [string, string];
      const classes = new Map([
        ['unknown', `${UNKNOWN}.${secret}`],
        ['wrong secret', `${id}.${'A'.repeat(secret.length)}`],
        ['expired', host.key({}, LONG_AGO_MS)],
        ['malformed', `${id}.${'!'.repeat(secret.length)}`],
      ]);
      const asks = [...classes.values()].map((key) => () => host.ask('revokeKey', `ApiKey ${key}`, UNKNOWN));
      for (const ask of asks) {
        const refused = ask();
        if (refused.status !== 401) throw new Error(`a bad key was answered ${refused.status}`);
      }
      const samples = options.seconds === undefined ? SAMPLES : options.seconds * SAMPLES_PER_SECOND;
      measure(asks, WARM_ROUNDS);
      return figuresOf([...classes.keys()], measure(asks, Math.min(SAMPLES, samples)));
    } finally {
      await host.close();
    }
  },
};

/** Milliseconds of each call. The order changes from round to round, so that no class always follows the same other one. */
function measure(asks: readonly (() => unknown)[], rounds: number): Float64Array[] {
  const times = asks.map(() => new Float64Array(rounds));
  for (let round = 0; round < rounds; round++) {
    for (let place = 0; place < asks.length; place++) {
      const at = (place + round) % asks.length;
      const which = (round >> 2) % 2 === 0 ? at : asks.length - 1 - at;
      const from = performance.now();
      asks[which]!();
      times[which]![round] = performance.now() - from;
    }
  }
  return times;
}

function figuresOf(names: readonly string[], times: readonly Float64Array[]): Figure[] {
  const figures = names.map((name, at): Figure => {
    const p50Ms = percentile([...times[at]!], 50);
    const p99Ms = percentile([...times[at]!], 99);
    return { name: `key-timing ${name}`, unit: 'op/s', value: 1000 / p50Ms, p50Ms, p99Ms, errors: 0 };
  });
  const medians = figures.map(({ p50Ms }) => p50Ms!);
  const spread = Math.max(...medians) - Math.min(...medians);
  const target = { of: 'value', bound: 'max', than: SPREAD_MS_MAX } as const;
  return [...figures, { name: 'key-timing spread of medians', unit: 'ms', value: spread, errors: 0, target }];
}
