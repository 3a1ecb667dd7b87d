/** Durable creates: each is acknowledged after its fdatasync, with three index entries of which two have random keys. */
import type { Bench, BenchCase } from './harness.ts';
import { changingRow, createUrl, type DevFile } from './kit/dev-file.ts';
import type { Target } from './kit/figure.ts';
import { number } from './kit/format.ts';
import { httpSeconds, measureHttp } from './kit/http-load.ts';
import type { LoadRequest } from './kit/load-script.ts';
import { runWrk } from './kit/wrk.ts';
import { unexpected } from './kit/wrk-output.ts';

/** Long enough that LMDB's growing backlog and the journal's segment changes are part of the mean. */
const SECONDS = 60;
const FILL_SECONDS = 5;
const FILL_CONNECTIONS = 256;
const CREATED = 201;

const create = (dev: DevFile, token: string): LoadRequest => ({
  method: 'POST',
  headers: { ...dev.headers, Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
  body: changingRow(dev.sample.create),
});

/** Creates rows until the entity has as many as `--rows` says. A list from the last of them shows whether it is there. */
async function fill(bench: Bench): Promise<void> {
  const { rows, threads } = bench.options;
  if (rows === 0) return;
  const { dev } = await bench.server();
  while (!(await hasRow(dev, await bench.token(), rows - 1))) {
    bench.log(`  creating rows until there are ${number(rows)}`);
    const request = create(dev, await bench.token());
    const filled = await runWrk({
      url: createUrl(dev),
      request,
      connections: FILL_CONNECTIONS,
      threads,
      seconds: FILL_SECONDS,
    });
    if (filled.requests === 0 || unexpected(filled, CREATED) > 0) throw new Error('creating rows failed');
  }
}

async function hasRow(dev: DevFile, token: string, offset: number): Promise<boolean> {
  const query = new URLSearchParams({ select: 'id', limit: '1', offset: String(offset) });
  const answer = await fetch(`${createUrl(dev)}?${query.toString()}`, {
    headers: { ...dev.headers, Authorization: `Bearer ${token}` },
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`the list answered ${answer.status} ${text.slice(0, 500)}`);
  return (JSON.parse(text) as { data: unknown[] }).data.length > 0;
}

function durableCreate(connections: number, target: string, targetOf: (bench: Bench) => Target): BenchCase {
  const name = `create-${connections}`;
  return {
    name,
    measures: `durable create on ${connections} connection${connections === 1 ? '' : 's'}`,
    target,
    http: true,
    seconds: (options) => httpSeconds({ seconds: SECONDS }, options),
    async run(bench) {
      await fill(bench);
      const { rows } = bench.options;
      const note = rows === 0 ? {} : { note: `with at least ${number(rows)} rows present` };
      const spec = { name, url: createUrl, request: create, connections, seconds: SECONDS, expect: CREATED, ...note };
      return [await measureHttp(bench, { ...spec, target: targetOf(bench) })];
    },
  };
}

/** Beyond one fsync. */
const OWN_MS_MAX = 1;

export const createOne = durableCreate(1, 'p50 ≤ one fsync + 1 ms', ({ fsync }) => ({
  of: 'p50Ms',
  bound: 'max',
  than: fsync.p50Ms + OWN_MS_MAX,
}));

export const create64 = durableCreate(64, '≥ 0.14 × (aim 0.18)', () => ({
  of: 'ratio',
  bound: 'min',
  than: 0.14,
  aim: 0.18,
}));

export const create256 = durableCreate(256, '≥ 0.16 × (aim 0.2)', () => ({
  of: 'ratio',
  bound: 'min',
  than: 0.16,
  aim: 0.2,
}));
