/** API keys: presented over HTTP, and the verification itself. */
import { randomBytes } from 'node:crypto';
import { issueKeyInternally } from '#actors/identity/new-key.ts';
import { presentKey } from '#actors/identity/present-key.ts';
import { systemClock } from '#actors/kit/clock.ts';
import { IdSource } from '#actors/kit/id.ts';
import { MemoryStore } from '#test/storage/memory.ts';
import type { BenchCase } from './harness.ts';
import { functionMs, timeFunction } from './kit/function-bench.ts';
import { httpSeconds, measureHttp } from './kit/http-load.ts';

const CONNECTIONS = 64;
const SECONDS = 10;
/** Revoking a key that there is not: the whole check of the presented key, and no write. */
export const NO_KEY = '7ZZZZZZZZZZZZZZZZZZZZZZZZZ';
const TENANT = 'acme:atlas:dev:main';

export const keyHttp: BenchCase = {
  name: 'key-http',
  measures: 'API key presented (DELETE of an unknown key id), 64 connections',
  target: '≥ 0.4 ×',
  http: true,
  seconds: (options) => httpSeconds({ seconds: SECONDS }, options),
  run: async (bench) => [
    await measureHttp(bench, {
      name: 'key-http',
      url: (dev) => `${dev.gateway}/auth/apikey/${NO_KEY}`,
      request: (dev) => ({
        method: 'DELETE',
        headers: { ...dev.headers, Authorization: `ApiKey ${dev.api_key}` },
        body: null,
      }),
      connections: CONNECTIONS,
      seconds: SECONDS,
      expect: 200,
      target: { of: 'ratio', bound: 'min', than: 0.4 },
    }),
  ],
};

export const keyVerify: BenchCase = {
  name: 'key-verify',
  measures: 'API key verification in the host: point read, SHA-256, constant-time comparison',
  target: 'p50 ≤ 20 µs',
  http: false,
  seconds: (options) => (3 * functionMs(options)) / 1000,
  async run({ options }) {
    const source = { clock: systemClock, ids: new IdSource(systemClock), random: randomBytes };
    const store = new MemoryStore();
    const turn = store.begin();
    const { key, id } = issueKeyInternally(turn, source, { capabilities: { roles: ['tenant_user'] }, createdBy: '' });
    turn.commit();
    const unknown = `${NO_KEY}${key.slice(id.length)}`;
    const verify = (presented: string) => () =>
      presentKey(store.begin(), TENANT, presented, systemClock.now(), '192.0.2.1');
    if (verify(key)() === null || verify(unknown)() !== null) throw new Error('the key check is not what is measured');
    const ms = functionMs(options);
    return [
      {
        ...(await timeFunction('key-verify known', verify(key), ms)),
        target: { of: 'p50Ms', bound: 'max', than: 0.02 },
      },
      await timeFunction('key-verify unknown', verify(unknown), ms),
    ];
  },
};
