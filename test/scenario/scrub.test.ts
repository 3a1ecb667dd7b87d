/** Damage of what is served, found by the scrubber while the node answers: named once in the log, in degraded[] and in the metrics. */
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TABLES } from '#storage/catalogue.ts';
import { damageRow, entriesOf, flipByte, flipKey, writeEntries } from '#test/kit/damage.ts';
import { freePortBase } from '#test/kit/free-port.ts';
import { unpackDirectory, type OldDirectory } from '#test/kit/old-directory.ts';
import { startProcess, type ProcessNode } from '#test/kit/process-node.ts';
import { call, positionHeaders } from '#test/kit/test-node.ts';

let old: OldDirectory;
let node: ProcessNode;
let tenant: string;
/** Two files of rows: the bytes of one are damaged, the other is gone. */
let files: readonly string[];
let segment: string;
/** The id of its log. */
let damaged: string;

interface Entry {
  readonly scope: string;
  readonly name: string;
  readonly reason: string;
}

const start = async (): Promise<ProcessNode> =>
  startProcess(old.file, { SKEP_PORT_BASE: String(await freePortBase()) }, ['env', '-C', old.dir]);

const degraded = async (): Promise<readonly Entry[]> => {
  const ready = await fetch(`${node.listeners['operations']!}/readyz`, { headers: { Accept: 'application/json' } });
  expect(ready.status).toBe(200);
  return ((await ready.json()) as { degraded: Entry[] }).degraded;
};

/** A sample of /metrics by its name with its labels. */
const metric = async (name: string): Promise<number> => {
  const text = await (await fetch(`${node.listeners['operations']!}/metrics`)).text();
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  return line === undefined ? Number.NaN : Number(line.split(' ').at(-1));
};

const ages = async (): Promise<number[]> => {
  const text = await (await fetch(`${node.listeners['operations']!}/metrics`)).text();
  return [...text.matchAll(/^skep_scrub_round_age_seconds\{thread="(?:host-\d|audit-sealer)"\} (\S+)$/gm)].map(
    ([, value]) => Number(value),
  );
};

const logLines = (...parts: string[]): Record<string, unknown>[] =>
  node
    .logged()
    .split('\n')
    .filter((line) => parts.every((part) => line.includes(part)))
    .map((line) => JSON.parse(line) as Record<string, unknown>);

const foundLines = (): Record<string, unknown>[] => logLines('"msg":"the scrubber found damage in what is served"');

/** What the log named as degraded by the scrubber; a place is named anew when another kind of damage is found in it. */
const degradedLines = (): Record<string, unknown>[] => logLines('"msg":"degraded"', 'the scrubber');

const expectNoneTwice = (lines: readonly Record<string, unknown>[]): void => {
  const texts = lines.map((line) => JSON.stringify({ ...line, time: 0 }));
  expect(texts.length).toBeGreaterThan(0);
  expect(texts).toEqual([...new Set(texts)]);
};

const blobPath = (sha256: string): string => {
  const root = join(old.dir, 'data', 'blobs');
  const path = readdirSync(root).map((no) => join(root, no, sha256.slice(0, 2), sha256));
  return path.find((one) => existsSync(one))!;
};

const setPace = (percent: number): void => {
  const text = readFileSync(old.file, 'utf8').replace(/, scrub_percent.*?(?= \})/, '');
  const storage = `ballast_bytes: 0, scrub_percent: ${percent}, scrub_every: 300ms }`;
  writeFileSync(old.file, text.replace('ballast_bytes: 0 }', storage));
};

beforeAll(async () => {
  old = unpackDirectory('clean');
  tenant = old.found.tenants[0]!;
  const data = join(old.dir, 'data');
  const keys = await entriesOf(
    data,
    (place, value) => place.table >= 256 && value.length <= 17 && place.tuple.includes('piece 3'),
  );
  await writeEntries(data, keys[0]!.shard, [keys[0]!.key, null]);
  const [count] = await entriesOf(data, ({ table }) => table === TABLES.row_count.no);
  await writeEntries(data, count!.shard, [count!.key, null]);
  const visit = Object.keys(old.found.rows).find((name) => name.startsWith(`${tenant} visit `))!;
  await damageRow(data, visit.split(' ')[2]!);
  const [label] = await entriesOf(
    data,
    (place, value) => place.table >= 256 && value.length <= 17 && place.tuple.includes('hall 1'),
  );
  expect(flipKey(data, label!, 'hall 1')).toBeGreaterThan(0);
  files = [...new Set(old.found.files.map(({ sha256 }) => sha256))].slice(0, 2);
  flipByte(blobPath(files[0]!), 0);
  rmSync(blobPath(files[1]!));
  const log = old.found.logs.find(({ id }) => id.startsWith('tenant/'))!;
  damaged = log.id;
  segment = join(old.dir, log.directory, 'segments/0000000000000000.log');
  expect(existsSync(segment.replace('.log', '.json'))).toBe(true);
  rewritable(segment);
  flipByte(segment, 40);
  setPace(50);
  node = await start();
}, 180_000);

function rewritable(path: string): void {
  const bytes = readFileSync(path);
  rmSync(path);
  writeFileSync(path, bytes, { mode: 0o600 });
}

afterAll(() => old.remove());

test('each kind of damage is found, and named as degraded while /readyz stays 200', { timeout: 120_000 }, async () => {
  const named = async (): Promise<string[]> =>
    (await degraded())
      .filter(({ reason }) => reason.includes('the scrubber'))
      .map(({ scope, name }) => `${scope} ${name}`);
  await expect
    .poll(named, { timeout: 60_000 })
    .toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^shard shard \d+$/),
        `part ${tenant} stored data`,
        expect.stringMatching(/^log tenant\/.* sealed segments$/),
      ]),
    );
  await expect.poll(() => metric('skep_scrub_faults{kind="file"}'), { timeout: 60_000 }).toBe(2);
  await expect.poll(() => metric('skep_scrub_faults{kind="segment"}'), { timeout: 60_000 }).toBe(1);
  for (const kind of ['value', 'order', 'row', 'index', 'count'])
    await expect.poll(() => metric(`skep_scrub_faults{kind="${kind}"}`), { timeout: 60_000 }).toBeGreaterThan(0);
  const part = (await degraded()).find(({ name }) => name === `${tenant} stored data`)!;
  expect(part.reason).toMatch(/found damage in it \(.*\), the first: .*skep tenant repair/);
});

test('the metrics say what was looked at, and how long ago the last whole round was', { timeout: 60_000 }, async () => {
  for (const what of ['values', 'rows', 'files', 'segments']) {
    expect(await metric(`skep_scrub_looked_total{what="${what}"}`)).toBeGreaterThan(0);
    expect(await metric(`skep_scrub_bytes_total{what="${what}"}`)).toBeGreaterThan(0);
  }
  const all = await ages();
  expect(all).toHaveLength(3);
  for (const age of all) expect(age).toBeLessThan(60);
});

test(
  'a log says to those who read it when the last round ended, and how many faults it found there',
  { timeout: 90_000 },
  async () => {
    const gateway = node.listeners['gateway']!;
    const { login, tenant: plane } = old.found.superadmin;
    const at = positionHeaders(plane);
    const { json } = await call(gateway, 'POST', '/auth/login', at, { login, password: old.found.password });
    const bearer = { ...at, Authorization: `Bearer ${(json as { access_token: string }).access_token}` };
    const scrub = async (id: string) => {
      const answer = await call(gateway, 'GET', `/audit/logs/${encodeURIComponent(id)}`, bearer);
      return (answer.json as { scrub: unknown }).scrub;
    };
    const sound = old.found.logs.find(({ id }) => id.startsWith('tenant/') && id !== damaged)!.id;
    const round = expect.any(String) as string;
    await expect.poll(() => scrub(damaged), { timeout: 60_000 }).toEqual({ round_ended_at: round, faults: 1 });
    await expect.poll(() => scrub(sound), { timeout: 60_000 }).toEqual({ round_ended_at: round, faults: 0 });
  },
);

test('the metrics say how the audit logs are', { timeout: 60_000 }, async () => {
  await expect.poll(() => metric('skep_audit_logs'), { timeout: 30_000 }).toBeGreaterThanOrEqual(old.found.logs.length);
  const signed = old.found.logs.reduce((sum, { size }) => sum + size, 0);
  expect(await metric('skep_audit_records')).toBeGreaterThanOrEqual(signed);
  expect(await metric('skep_audit_segment_bytes')).toBeGreaterThan(signed);
  expect(await metric('skep_audit_logs_refused')).toBe(0);
  expect(await metric('skep_audit_records_lost_total')).toBe(0);
  await expect.poll(() => metric('skep_audit_outbox_events{thread="host-0"}'), { timeout: 30_000 }).toBe(0);
});

test('each fault is one line of the log, however many rounds find it; a sound tenant is not named', async () => {
  const before = await metric('skep_scrub_looked_total{what="rows"}');
  await expect
    .poll(() => metric('skep_scrub_looked_total{what="rows"}'), { timeout: 60_000 })
    .toBeGreaterThan(2 * before);
  expectNoneTwice(degradedLines());
  expectNoneTwice(foundLines());
  expect(foundLines()).toContainEqual(
    expect.objectContaining({ tenant, kind: 'file', file: files[1], what: 'a file that a row uses is not there' }),
  );
  expect(foundLines()).toContainEqual(expect.objectContaining({ tenant, kind: 'row', entity: 'visit' }));
  expect(foundLines().some((line) => line['tenant'] === old.found.tenants[2])).toBe(false);
}, 90_000);

test('the tenant is served meanwhile', async () => {
  const here = positionHeaders(tenant);
  const answer = await fetch(`${node.listeners['gateway']!}/auth/token`, {
    method: 'POST',
    headers: { ...here, Authorization: `ApiKey ${old.found.serviceKeys[tenant]!}` },
  });
  const { token } = (await answer.json()) as { token: string };
  const headers = { ...here, Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ code: 'zz', name: 'nowhere' });
  const made = await fetch(`${node.listeners['gateway']!}/data/rest/country`, { method: 'POST', headers, body });
  expect(made.status).toBe(201);
}, 60_000);

test('switched off it looks at nothing, and says nothing', async () => {
  process.kill(node.pid, 'SIGTERM');
  expect(await node.exited).toBe(0);
  setPace(0);
  node = await start();
  await new Promise((resolve) => setTimeout(resolve, 1500));
  expect(await metric('skep_scrub_looked_total{what="values"}')).toBe(0);
  expect((await degraded()).filter(({ reason }) => reason.includes('the scrubber'))).toEqual([]);
  process.kill(node.pid, 'SIGTERM');
  expect(await node.exited).toBe(0);
}, 90_000);
