/**
 * `npm run bench:together <checkout> [create|read|list|key|expression|action] [-- flags]`: two checkouts under the same load at the same time. What the machine does
 * meanwhile, it does to both, so the ratio holds where alternating runs are too far apart.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { changingRow, createUrl, exchangeToken, listUrl, rowUrl, type DevFile } from '#bench/kit/dev-file.ts';
import { ratioOf, type Figure } from '#bench/kit/figure.ts';
import { measureFsync } from '#bench/kit/fsync-rate.ts';
import type { LoadRequest } from '#bench/kit/load-script.ts';
import { commitOf, describeMachine, processorSeconds, ROOT } from '#bench/kit/machine.ts';
import { freePortBase } from '#bench/kit/ports.ts';
import type { RunReport } from '#bench/kit/report.ts';
import { startServer, type Server } from '#bench/kit/server.ts';
import { median } from '#bench/kit/stats.ts';
import { NO_KEY } from '#bench/key.bench.ts';
import { runWrk } from '#bench/kit/wrk.ts';
import { intervalOf } from '#bench/compare/verdict.ts';

const LIST_ROWS = 20;
/** Rows that were acknowledged still move from the journal into LMDB: their processor time belongs to the round. */
const SETTLE_MS = 1500;
const ONE_CORE = 0;
const FSYNC_MS = 1000;

/** As the cases of these names ask (`key`: `key-http`). */
const LOADS = ['create', 'read', 'list', 'key', 'expression', 'action'] as const;
type What = (typeof LOADS)[number];

const HELP = `npm run bench:together <checkout> [${LOADS.join('|')}] [-- flags]

--rounds N       rounds in which both are asked at once (default 12)
--seconds N      length of a round (default 6)
--connections N  connections to each side (default 64)
--one-core       asks one side after the other on the same core, and the first changes from round to round: a core that another
                 guest of the machine slows, and where threads happen to run, do not decide
--set KEY=VALUE  a key of the platform file that the branch alone has otherwise; may be given several times. With this checkout as
                 its own base (\`npm run bench:together . read -- --set …\`) it measures what a setting costs
--json <file>    the figure for \`npm run bench:document\`
`;

/** What a round took of one side. */
export interface Taken {
  readonly requests: number;
  /** Milliseconds of processor time of the whole process. */
  readonly cpuMs: number;
}

export interface Round {
  readonly base: Taken;
  readonly branch: Taken;
}

/** Above 1 the branch answers more, and takes more processor time. */
export function ratiosOf(rounds: readonly Round[]) {
  const costOf = ({ cpuMs, requests }: Taken): number => cpuMs / requests;
  return {
    requests: intervalOf(rounds.map(({ base, branch }) => branch.requests / base.requests)),
    cpuPerRequest: intervalOf(rounds.map(({ base, branch }) => costOf(branch) / costOf(base))),
  };
}

/** What the rounds say, as a figure of this checkout beside the other one. */
export function figureOf(
  what: What,
  rounds: readonly Round[],
  { seconds, base }: { readonly seconds: number; readonly base: string },
): Figure {
  const pairs = rounds.map((round) => ({
    value: round.branch.requests / seconds,
    ceiling: round.base.requests / seconds,
  }));
  return {
    name: `together ${what}`,
    unit: 'req/s',
    value: median(pairs.map(({ value }) => value)),
    ceiling: median(pairs.map(({ ceiling }) => ceiling)),
    ratio: ratioOf(pairs),
    pairs,
    errors: 0,
    rival: { name: `commit ${base}` },
    note: 'both at once, under one load each',
  };
}

const described = ({ requests, cpuMs }: Taken): string =>
  `${requests} requests at ${((1000 * cpuMs) / requests).toFixed(0)} µs of processor`;

const cpuMsOf = (pid: number): number => 1000 * processorSeconds(readFileSync(`/proc/${pid}/stat`, 'utf8'));

async function requestOf(dev: DevFile, what: What): Promise<{ url: string; request: LoadRequest }> {
  const headers = { ...dev.headers, Authorization: `Bearer ${await exchangeToken(dev)}` };
  const get = (url: string) => ({ url, request: { method: 'GET', headers, body: null } }) as const;
  switch (what) {
    case 'read':
      return get(rowUrl(dev));
    case 'list':
      return get(listUrl(dev, LIST_ROWS));
    case 'expression':
      return get(`${listUrl(dev, LIST_ROWS)}&expression=${encodeURIComponent('[.data[]|{id,name}]')}`);
    case 'action': // the demo's declared SQL
      return get(`${dev.gateway}/data/actions/largest?country=NL`);
    case 'key':
      return {
        url: `${dev.gateway}/auth/apikey/${NO_KEY}`,
        request: { method: 'DELETE', headers: { ...dev.headers, Authorization: `ApiKey ${dev.api_key}` }, body: null },
      };
    case 'create': {
      const json = { ...headers, 'Content-Type': 'application/json' };
      return { url: createUrl(dev), request: { method: 'POST', headers: json, body: changingRow(dev.sample.create) } };
    }
  }
}

const isLoad = (what: string): what is What => (LOADS as readonly string[]).includes(what);

async function started(root: string, place: string, set: readonly string[]): Promise<Server> {
  // Empty: from the sources.
  const env = { SKEP_DIST: existsSync(`${root}dist`) ? `${root}dist` : '' };
  return startServer({ root, dataDir: place, portBase: await freePortBase(), hosts: undefined, env, set });
}

interface Measure {
  readonly what: What;
  readonly seconds: number;
  readonly connections: number;
  readonly oneCore: boolean;
}

/** Asks these sides at once. Their loads keep to one core when it is given; the sides do already. */
async function taken(sides: readonly Server[], measure: Measure, core?: number): Promise<Taken[]> {
  const { what, seconds, connections } = measure;
  const asked = await Promise.all(sides.map(({ dev }) => requestOf(dev, what)));
  const before = sides.map(({ pid }) => cpuMsOf(pid));
  const load = { connections, threads: 1, seconds, ...(core !== undefined && { core }) };
  const runs = await Promise.all(asked.map((one) => runWrk({ ...one, ...load })));
  await sleep(SETTLE_MS);
  return runs.map(({ requests }, at) => ({ requests, cpuMs: cpuMsOf(sides[at]!.pid) - before[at]! }));
}

async function roundOf([base, branch]: readonly [Server, Server], no: number, measure: Measure): Promise<Round> {
  if (!measure.oneCore) {
    const [first, second] = await taken([base, branch], measure);
    return { base: first!, branch: second! };
  }
  const turns = new Map<Server, Taken>();
  for (const side of no % 2 === 0 ? [base, branch] : [branch, base])
    turns.set(side, (await taken([side], measure, ONE_CORE))[0]!);
  return { base: turns.get(base)!, branch: turns.get(branch)! };
}

const keepTo = (pid: number, core: number): void =>
  void execFileSync('taskset', ['-a', '-p', '-c', String(core), String(pid)], { stdio: 'ignore' });

async function main(args: readonly string[]): Promise<number> {
  const text = { type: 'string' } as const;
  const options = {
    rounds: text,
    seconds: text,
    connections: text,
    'one-core': { type: 'boolean' },
    set: { type: 'string', multiple: true },
    json: text,
  } as const;
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  const [checkout, what = 'create'] = positionals;
  if (checkout === undefined) return (process.stdout.write(HELP), 0);
  if (!isLoad(what)) throw new Error(`no load ${what}: ${LOADS.join(', ')}`);
  const count = Number(values.rounds ?? 12);
  const measure: Measure = {
    what,
    seconds: Number(values.seconds ?? 6),
    connections: Number(values.connections ?? 64),
    oneCore: values['one-core'] === true,
  };
  const place = mkdtempSync(join(tmpdir(), 'skep-together-'));
  const sides: Server[] = [];
  try {
    for (const [name, root, set] of [
      ['base', `${resolve(checkout)}/`, []],
      ['branch', ROOT, values.set ?? []],
    ] as const)
      sides.push(await started(root, join(place, name), set));
    const both = sides as [Server, Server];
    if (measure.oneCore) for (const { pid } of both) keepTo(pid, ONE_CORE);
    await roundOf(both, 0, measure); // code and caches are warm then
    const rounds: Round[] = [];
    for (let no = 1; no <= count; no++) {
      const round = await roundOf(both, no, measure);
      rounds.push(round);
      console.log(`round ${no}: ${described(round.base)} and ${described(round.branch)}`);
    }
    for (const [name, { ratio, low, high }] of Object.entries(ratiosOf(rounds)))
      console.log(`${what} ${name}: ${ratio.toFixed(3)} (95 % ${low.toFixed(3)} to ${high.toFixed(3)})`);
    if (values.json !== undefined) {
      const settings = { ...measure, rounds: count, pairs: count, threads: 1 };
      const base = commitOf(resolve(checkout)) ?? 'unknown';
      const report: RunReport = {
        machine: describeMachine(place, new Date()),
        fsync: measureFsync(place, FSYNC_MS),
        ceiling: null,
        settings,
        figures: [figureOf(what, rounds, { seconds: measure.seconds, base })],
        failures: [],
      };
      writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`);
    }
    return 0;
  } finally {
    for (const side of sides) await side.stop();
    rmSync(place, { recursive: true, force: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]!).href) process.exitCode = await main(process.argv.slice(2));
