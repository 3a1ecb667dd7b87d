/** What logins cost those who do not log in: argon2 takes cores, and must take nothing else. */
import { limits } from '#config/limits.ts';
import type { BenchCase } from './harness.ts';
import type { DevFile } from './kit/dev-file.ts';
import { ratioOf } from './kit/figure.ts';
import type { Pair } from './kit/figure.ts';
import { beside, busyLoops, callers } from './kit/neighbour.ts';
import type { Neighbour } from './kit/neighbour.ts';
import { startServer } from './kit/server.ts';
import { median } from './kit/stats.ts';
import { busyOf } from './kit/watch.ts';
import type { LoadResult } from './kit/wrk-output.ts';
import { unexpected } from './kit/wrk-output.ts';
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
      const seconds = bench.options.seconds ?? SECONDS;
      const pairs: Pair[] = [];
      const work: LoadResult[] = [];
      for (let i = 0; i < bench.options.pairs; i++) {
        const busy = await beside(busyLoops(limits.identity.passwordsRunningMax), () => load(dev, seconds));
        const logins = await beside(loginLoops(dev), () => load(dev, seconds));
        pairs.push({ ceiling: busy.p99Ms, value: logins.p99Ms });
        work.push(busy, logins);
      }
      return [
        {
          name: 'login-neighbours p99',
          unit: 'ms',
          value: median(pairs.map(({ value }) => value)),
          ceiling: median(pairs.map(({ ceiling }) => ceiling)),
          ratio: ratioOf(pairs),
          ...busyOf(work),
          pairs,
          errors: work.reduce((sum, result) => sum + unexpected(result, 200), 0),
          target: { of: 'ratio', bound: 'max', than: 2 },
          note: `ratio to p99 beside ${limits.identity.passwordsRunningMax} busy loops`,
        },
      ];
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
