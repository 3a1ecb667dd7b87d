/** The door alone: what a request costs before any actor is asked. */
import { limits } from '#config/limits.ts';
import type { BenchCase } from './harness.ts';
import { HELLO } from './kit/ceiling.ts';
import { httpSeconds, measureHttp } from './kit/http-load.ts';
import { busyOf } from './kit/watch.ts';
import { unexpected } from './kit/wrk-output.ts';
import { runWrk } from './kit/wrk.ts';
import { median, mediansOf } from './kit/stats.ts';

const CONNECTIONS = 64;
/** The listener of operations holds few. */
const OPERATIONS_CONNECTIONS = limits.door.operationsConnectionsMax / 2;
const SECONDS = 10;
const HELLO_BYTES = 256;

export const ceiling: BenchCase = {
  name: 'ceiling',
  measures: 'raw uWebSockets.js hello, one thread, 256-byte body',
  target: '',
  http: false,
  seconds: ({ seconds, pairs }) => pairs * (seconds ?? SECONDS),
  async run(bench) {
    const hello = await bench.ceiling();
    await hello.setBytes(HELLO_BYTES);
    const { pairs, threads, seconds = SECONDS, connections = CONNECTIONS } = bench.options;
    const runs = [];
    for (let i = 0; i < pairs; i++)
      runs.push(await runWrk({ url: hello.url, request: HELLO, connections, threads, seconds }));
    for (const { perSecond } of runs) bench.noteHello(perSecond);
    return [
      {
        name: 'ceiling',
        unit: 'req/s',
        value: median(runs.map(({ perSecond }) => perSecond)),
        ...mediansOf(runs),
        ...busyOf(runs),
        runs: runs.map(({ perSecond }) => perSecond),
        errors: runs.reduce((sum, run) => sum + unexpected(run, 200), 0),
      },
    ];
  },
};

export const livez: BenchCase = {
  name: 'door-livez',
  measures: 'GET /livez on the operations listener: the door and nothing behind it',
  target: '',
  http: true,
  seconds: (options) => httpSeconds({ seconds: SECONDS }, options),
  run: async (bench) => [
    await measureHttp(bench, {
      name: 'door-livez',
      url: (dev) => `${dev.operations}/livez`,
      request: () => HELLO,
      connections: OPERATIONS_CONNECTIONS,
      seconds: SECONDS,
      expect: 200,
    }),
  ],
};

export const unknownPath: BenchCase = {
  name: 'door-404',
  measures: 'an unknown path on the gateway: routing and a bare refusal',
  target: '',
  http: true,
  seconds: (options) => httpSeconds({ seconds: SECONDS }, options),
  run: async (bench) => [
    await measureHttp(bench, {
      name: 'door-404',
      url: (dev) => `${dev.gateway}/no/such/path`,
      request: (dev) => ({ method: 'GET', headers: dev.headers, body: null }),
      connections: CONNECTIONS,
      seconds: SECONDS,
      expect: 404,
    }),
  ],
};
