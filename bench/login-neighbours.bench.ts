/** What logins cost callers that do not log in: argon2 takes cores, and must take nothing else. */
import { limits } from '#config/limits.ts';
import type { BenchCase } from './harness.ts';
import type { DevFile } from './kit/dev-file.ts';
import { besideLoops, callers, type Neighbour } from './kit/neighbour.ts';
import { startServer } from './kit/server.ts';
import type { LoadResult } from './kit/wrk-output.ts';
import { runWrk } from './kit/wrk.ts';

const LOGINS = 16;
const CONNECTIONS = 8;
const SECONDS = 10;
const NO_KEY = '7ZZZZZZZZZZZZZZZZZZZZZZZZZ';

type DemoFile = DevFile & { readonly admin: { readonly login: string; readonly password: string } };

export const loginNeighbours: BenchCase = {
  name: 'login-neighbours',
  measures: `p99 of API keys presented beside ${LOGINS} logins in flight, and beside as many busy loops as argon2 has threads`,
  target: 'p99 ≤ 2 ×',
  http: true,
  seconds: ({ pairs, seconds = SECONDS }) => 2 * pairs * seconds + 5,
  async run(bench) {
    await bench.stopServer(); // this one needs the login's rate profile lifted
    const server = await startServer({ ...bench.serverOptions(), set: ['rates.auth_login=off'] });
    try {
      const dev = server.dev as DemoFile;
      const { pairs, seconds = SECONDS } = bench.options;
      const wish = { name: 'login-neighbours', pairs, threads: limits.identity.passwordsRunningMax, times: 2 };
      return [await besideLoops({ ...wish, load: () => load(dev, seconds), neighbour: () => loginLoops(dev) })];
    } finally {
      await server.stop();
    }
  },
};

const load = (dev: DevFile, seconds: number): Promise<LoadResult> =>
  runWrk({
    url: `${dev.gateway}/auth/apikey/${NO_KEY}`,
    request: { method: 'DELETE', headers: { ...dev.headers, Authorization: `ApiKey ${dev.api_key}` }, body: null },
    connections: CONNECTIONS,
    threads: 1,
    seconds,
  });

function loginLoops({ gateway, headers, admin }: DemoFile): Neighbour {
  const body = JSON.stringify({ login: admin.login, password: admin.password });
  const init = { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' }, body };
  return callers(LOGINS, async () => {
    const answer = await fetch(`${gateway}/auth/login`, init);
    await answer.arrayBuffer();
    if (answer.status !== 200) throw new Error(`a login was answered ${answer.status}`);
  });
}
