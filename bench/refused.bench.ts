/** What a refusal costs over HTTP: by the rate gate, which parses nothing, and by a field check, which has read the whole row. */
import type { BenchCase } from './harness.ts';
import { createUrl } from './kit/dev-file.ts';
import { httpSeconds, measureHttp } from './kit/http-load.ts';

const CONNECTIONS = 64;
const SECONDS = 10;
/** More than any bucket of the demo holds at once. */
const DRAINED = 50;
const WRONG = `ApiKey ${'7'.padEnd(26, 'Z')}.${'A'.repeat(43)}`;

export const rateRefused: BenchCase = {
  name: 'rate-refused',
  measures: `a request that its rate bucket refuses (429 by the door), ${CONNECTIONS} connections`,
  target: '',
  http: true,
  seconds: (options) => httpSeconds({ seconds: SECONDS }, options),
  async run(bench) {
    const { dev } = await bench.server();
    const url = `${dev.gateway}/auth/apikey`; // its bucket fills slowest: one request in four seconds
    await bench.ceiling();
    // With a wrong key: what the bucket lets through meanwhile is a refusal, too, and no key is made.
    const headers = { ...dev.headers, Authorization: WRONG };
    for (let i = 0; i < DRAINED; i++) await (await fetch(url, { method: 'POST', headers })).arrayBuffer();
    return [
      await measureHttp(bench, {
        name: 'rate-refused',
        url: () => url,
        request: () => ({ method: 'POST', headers, body: null }),
        connections: CONNECTIONS,
        seconds: SECONDS,
        expect: 429,
      }),
    ];
  },
};

export const fieldRefused: BenchCase = {
  name: 'field-refused',
  measures: `a create whose row its field check refuses (422), ${CONNECTIONS} connections`,
  target: '',
  http: true,
  seconds: (options) => httpSeconds({ seconds: SECONDS }, options),
  run: async (bench) => [
    await measureHttp(bench, {
      name: 'field-refused',
      url: createUrl,
      request: (dev, token) => ({
        method: 'POST',
        headers: { ...dev.headers, Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: [JSON.stringify({ ...dev.sample.create, population: -1 })],
      }),
      connections: CONNECTIONS,
      seconds: SECONDS,
      expect: 422,
    }),
  ],
};
