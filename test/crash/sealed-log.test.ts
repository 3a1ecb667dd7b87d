/**
 * A log in a PostgreSQL, and its copies, sealed by keys of a vault in the same database: two nodes, a kill, a rotation, a start from copies, a directory that is taken in, and the way back to files. What a row says is in none of
 * the database's files, nor of the copies; what was written before the log was sealed is, so that the search could find it.
 */
import { randomBytes } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { hasPostgres, PostgresPair } from '#test/kit/postgres-server.ts';
import { startProcess, type ProcessNode } from '#test/kit/process-node.ts';
import { startServing } from '#test/kit/serving-process.ts';
import { tally } from '#test/kit/tally.ts';
import { startTestNode } from '#test/kit/test-node.ts';
import { skep } from '#test/runtime/cli/recorder.ts';
import { drive, emptyLedger, verify } from './row-ledger.ts';

const START_MS = 60_000;
const [OPEN, HIDDEN] = ['plainlyreadable', 'sealedaway'];

describe.runIf(hasPostgres)('a sealed log', () => {
  const root = mkdtempSync(join(tmpdir(), 'skep-sealed-'));
  const [rootKey, aside, copies] = ['root.key', 'aside.key', 'copies'].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  const ledger = emptyLedger();
  let pair: PostgresPair;
  let key: string;

  interface Wish {
    readonly seal?: string;
    readonly prefix?: string;
    readonly database?: string;
    readonly files?: boolean;
  }

  /** The file of a node of its own directory. */
  function fileOf(name: string, { seal = 'vault', prefix = '/v/', database = 'postgres', files = false }: Wish = {}) {
    const dir = join(root, name);
    mkdirSync(dir, { recursive: true });
    const url = pair.primary.url.replace(/postgres$/, database);
    const storage = `history: 24h, journal: { driver: postgres, url: "${url}", seal: ${seal}, snapshots: { to: "${copies}" } }`;
    const extra = `cluster: { node: ${name}, lease: 3s }
vault:
  enabled: true
  profile: development
  seal: { current: { file: ${rootKey} } }
  backend: { kind: postgres, prefix: ${prefix} }
`;
    return writePlatformFile(dir, files ? {} : { storage, extra, listeners: '  vault: { bind: 127.0.0.1:0 }\n' });
  }

  beforeAll(async () => {
    pair = await PostgresPair.start();
    writeFileSync(rootKey, randomBytes(32).toString('base64'), { mode: 0o600 });
    mkdirSync(copies);
    const file = fileOf('n1', { seal: 'none' });
    const made = await skep(`cluster init -f ${file} --shards 4`);
    expect(made.code, made.err).toBe(0);
  }, 180_000);
  afterAll(async () => {
    await pair.stop();
    rmSync(root, { recursive: true, force: true });
  });

  async function written(node: ProcessNode, name: string): Promise<() => Promise<unknown>> {
    const enough = ledger.created.size + 25;
    const callers = Array.from({ length: 4 }, (_, no) => drive(node, key, ledger, `${name}c${no}`));
    await expect.poll(() => ledger.created.size, { timeout: START_MS }).toBeGreaterThan(enough);
    return () => Promise.all(callers);
  }

  async function served(file: string, name: string, end: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    const node = await startProcess(file);
    await verify(node, key, ledger);
    const over = await written(node, name);
    await node.end(end);
    await over();
  }

  /** What a start says before it ends. */
  const refusal = (file: string): Promise<string> =>
    startProcess(file).then(
      () => 'it started',
      (error: Error) => error.message,
    );

  const inCopies = (text: string): boolean => spawnSync('grep', ['-rqaF', text, copies]).status === 0;

  test(
    'a log that was plain is sealed from the next start on, and nothing written behind it can be read',
    { timeout: 6 * START_MS },
    async () => {
      const storage = `journal: { driver: postgres, url: "${pair.primary.url}" }`;
      const prepared = await startTestNode({ dir: join(root, 'n1'), storage });
      key = prepared.serviceKey;
      await prepared.stop();
      await served(fileOf('n1', { seal: 'none' }), OPEN);
      expect(await pair.primary.holds(OPEN)).toBe(true);
      const check = await skep(`cluster check -f ${fileOf('n1')}`);
      expect(check.out).toContain('sealed from the next start on');

      const first = await startProcess(fileOf('n1'));
      const second = startProcess(fileOf('n2'));
      second.catch(() => undefined);
      const over = await written(first, HIDDEN);
      const snapshot = await skep(`cluster snapshot -f ${fileOf('n1')}`);
      expect(snapshot.code, snapshot.err).toBe(0);
      await expect
        .poll(async () => (await skep(`cluster status -f ${fileOf('n2')}`)).out, { timeout: START_MS })
        .toMatch(/n2 .*waits|n2 .*stand/);
      await first.end('SIGKILL');
      await over();
      const next = await second;
      await verify(next, key, ledger);
      const more = await written(next, `${HIDDEN}2`);
      await next.end('SIGTERM');
      await more();
      for (const server of [pair.primary, pair.standby]) expect(await server.holds(HIDDEN)).toBe(false);
      expect(inCopies(HIDDEN)).toBe(false);
    },
  );

  test('another key, a vault without it, or none: nothing is claimed', { timeout: 4 * START_MS }, async () => {
    const before = await pair.primary.sql('select shard, epoch from skep_shard order by shard');
    expect(await refusal(fileOf('n1', { seal: 'none' }))).toContain('does not name its keys');
    expect(await refusal(fileOf('n1', { prefix: '/another/' }))).toContain('has no key 1 of this log');
    renameSync(rootKey, aside);
    writeFileSync(rootKey, randomBytes(32).toString('base64'), { mode: 0o600 });
    expect(await refusal(fileOf('n1'))).toContain('the root key is not the one');
    const check = await skep(`cluster check -f ${fileOf('n1')}`);
    expect([check.code, check.out]).toEqual([1, expect.stringContaining('the root key is not the one')]);
    expect(await pair.primary.sql('select shard, epoch from skep_shard order by shard')).toEqual(before);
    rmSync(rootKey);
    const told = Promise.withResolvers<void>();
    const said = (line: string): void => {
      if (line.includes('put the root key where vault.seal.current names it')) told.resolve();
    };
    let isServed = false;
    const serving = startServing(['-f', fileOf('n1'), '-l', 'info'], { env: {}, said }).finally(
      () => (isServed = true),
    );
    await told.promise;
    expect(isServed).toBe(false);
    renameSync(aside, rootKey);
    const node = await serving;
    node.signal('SIGTERM');
    expect(await node.ended).toBe(0);
  });

  test(
    'behind a rotation a start from copies and entries of three kinds has every row',
    { timeout: 6 * START_MS },
    async () => {
      const rotated = await skep(`cluster rotate-key -f ${fileOf('n1')} -o json`);
      expect(JSON.parse(rotated.out)).toMatchObject({ key: 2 });
      await served(fileOf('n1'), `${HIDDEN}3`);
      const check = await skep(`cluster check -f ${fileOf('n1')}`);
      expect(check.out).toContain('sealed by key 2');
      rmSync(join(root, 'n2', 'data', 'shards'), { recursive: true });
      await served(fileOf('n2'), `${HIDDEN}4`, 'SIGKILL');
      await served(fileOf('n2'), `${HIDDEN}5`);
      expect(await pair.primary.holds(HIDDEN)).toBe(false);
    },
  );

  test('a tenant comes back as it was at a time with the keys alone', { timeout: 6 * START_MS }, async () => {
    const file = fileOf('n2');
    const at = new Date().toISOString();
    for (let n = 0; n < 4; n++) {
      const made = await skep(`cluster snapshot -f ${file}`);
      expect(made.code, made.err).toBe(0);
    }
    expect(spawnSync('find', [copies, '-name', '*.log']).stdout.length).toBeGreaterThan(0);
    expect(inCopies(HIDDEN)).toBe(false);
    const restore = () => skep(`tenant restore -f ${file} ${TENANT} --at ${at} --as acme:shop:dev:sleeping -o json`);
    renameSync(rootKey, aside);
    const refused = await restore();
    renameSync(aside, rootKey);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('root key')]);
    const restored = await restore();
    expect(restored.code, restored.err).toBe(0);
    const report = JSON.parse(restored.out) as { readonly moment: string; readonly entries: number };
    expect(report.moment).toBe(at);
    expect(report.entries).toBeGreaterThan(ledger.created.size);
  });

  test('leave makes files of it, and adopt a sealed log of files', { timeout: 6 * START_MS }, async () => {
    const left = await skep(`cluster leave -f ${fileOf('n2')} -o json`);
    expect(left.code, left.err).toBe(0);
    await served(fileOf('n2', { files: true }), 'onfiles');
    await pair.primary.sql('create database second');
    const there = { database: 'second' };
    expect((await skep(`cluster init -f ${fileOf('n2', there)} --shards 4`)).code).toBe(0);
    const adopted = await skep(`cluster adopt -f ${fileOf('n2', there)} -o json`);
    expect(adopted.code, adopted.err).toBe(0);
    await served(fileOf('n2', there), `${HIDDEN}6`);
    rmSync(join(root, 'n2', 'data', 'shards'), { recursive: true });
    await served(fileOf('n2', there), `${HIDDEN}7`);
    expect([await pair.primary.holds(HIDDEN), inCopies(HIDDEN), inCopies('onfiles')]).toEqual([false, false, false]);
    tally({ acknowledged: ledger.created.size });
  });
});
