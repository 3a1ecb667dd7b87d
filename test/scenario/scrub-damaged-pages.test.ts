/** Pages over which LMDB ends the node while the scrubber reads them: the next start says which shard it was, and does not read it again. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { damagePages } from '#test/kit/damaged-pages.ts';
import { freePortBase } from '#test/kit/free-port.ts';
import { unpackDirectory, type OldDirectory } from '#test/kit/old-directory.ts';
import { startProcess, type ProcessNode } from '#test/kit/process-node.ts';
import { skep } from '#test/runtime/cli/recorder.ts';

const HURT = 2;
const LIMIT = { timeout: 120_000 };

let old: OldDirectory;
let data: string;
let whole: Buffer;
let file: string;

const start = async (): Promise<ProcessNode> =>
  startProcess(old.file, { SKEP_PORT_BASE: String(await freePortBase()) }, ['env', '-C', old.dir]);

const operations = async (node: ProcessNode, path: string): Promise<string> =>
  (await fetch(node.listeners['operations']! + path, { headers: { Accept: 'application/json' } })).text();

/** Reasons for which the hurt shard is degraded. */
const reasons = async (node: ProcessNode): Promise<string[]> => {
  const { degraded } = JSON.parse(await operations(node, '/readyz')) as {
    degraded: { name: string; reason: string }[];
  };
  return degraded.filter(({ name }) => name === `shard ${HURT}`).map(({ reason }) => reason);
};

const sample = async (node: ProcessNode, name: string): Promise<number> => {
  const line = (await operations(node, '/metrics')).split('\n').find((one) => one.startsWith(`${name} `));
  return Number(line?.split(' ').at(-1));
};

/** Further whole rounds over the other shards: the damage would have ended the process in one of them. */
const moreRounds = async (node: ProcessNode): Promise<void> => {
  const looked = 'skep_scrub_looked_total{what="values"}';
  await expect.poll(() => sample(node, looked), { timeout: 60_000 }).toBeGreaterThan(0);
  const before = await sample(node, looked);
  await expect.poll(() => sample(node, looked), { timeout: 60_000 }).toBeGreaterThan(4 * before);
};

const stop = async (node: ProcessNode): Promise<void> => {
  process.kill(node.pid, 'SIGTERM');
  expect(await node.exited).toBe(0);
};

beforeAll(() => {
  old = unpackDirectory('clean');
  data = join(old.dir, 'data');
  const text = readFileSync(old.file, 'utf8');
  const storage = 'ballast_bytes: 0, scrub_percent: 50, scrub_every: 1s }';
  writeFileSync(old.file, text.replace('ballast_bytes: 0 }', storage));
  whole = readFileSync(join(data, 'shards', String(HURT), 'data.mdb'));
  file = damagePages(data, HURT, 'a value without end');
});

afterAll(() => old.remove());

test('the first start behind it names the shard in log, degraded[] and metrics, and lives', LIMIT, async () => {
  // The process may end before it says that it serves.
  const how = await start().then(
    (node) => node.exited,
    (error: unknown) => String(error),
  );
  expect(how).toMatch(/SIG(?:SEGV|BUS|ABRT)/);
  const node = await start();
  await expect.poll(() => reasons(node), { timeout: 30_000 }).toHaveLength(1);
  const [reason] = await reasons(node);
  expect(reason).toContain('the process ended while the scrubber read it');
  expect(reason).toContain('skep storage check <dir>');
  expect(await sample(node, 'skep_scrub_faults{kind="environment"}')).toBe(1);
  const line = node
    .logged()
    .split('\n')
    .find((one) => one.includes('the process ended while the scrubber read it'));
  expect(JSON.parse(line!)).toMatchObject({ level: 'error', shard: HURT });
  await moreRounds(node);
  await stop(node);
});

test('so do later ones, also when an operator has seen the damage', LIMIT, async () => {
  const { code, err } = await skep(`storage check ${data}`);
  expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(`shard ${HURT}: the pages of ${file}`) });
  const node = await start();
  await expect.poll(() => reasons(node), { timeout: 30_000 }).toHaveLength(1);
  await stop(node);
});

test('once storage check has read the shard to its end, the scrubber reads it again', LIMIT, async () => {
  writeFileSync(file, whole);
  expect(await skep(`storage check ${data}`)).toMatchObject({ code: 0, err: '' });
  const node = await start();
  await moreRounds(node);
  expect(await reasons(node)).toEqual([]);
  await stop(node);
});
