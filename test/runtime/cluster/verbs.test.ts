/** `skep cluster init|check|status|snapshot` against a real PostgreSQL with a synchronous standby, and a node that starts over what they find. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PostgresEngine } from '#storage/log-engine/postgres/engine.ts';
import { startNode } from '#runtime/node.ts';
import type { Finding } from '#runtime/doctor/finding.ts';
import type { ShardStatus } from '#runtime/cluster/shards.ts';
import { writePlatformFile } from '#test/kit/platform-file.ts';
import { platformOf } from '#test/kit/platform-of.ts';
import { hasPostgres, PostgresPair } from '#test/kit/postgres-server.ts';
import { startTestNode } from '#test/kit/test-node.ts';
import { skep } from '#test/runtime/cli/recorder.ts';

const CLEAN = 'drop schema public cascade; create schema public';

describe.runIf(hasPostgres)('skep cluster', () => {
  const dir = mkdtempSync(join(tmpdir(), 'skep-cluster-'));
  let pair: PostgresPair;
  let env: Record<string, string>;

  beforeAll(async () => {
    pair = await PostgresPair.start();
    env = { SKEP_LOG_URL: pair.primary.url };
  }, 120_000);
  afterAll(async () => {
    await pair.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  const fileWith = (journal: string): string => writePlatformFile(dir, { storage: `journal: { ${journal} }` });
  const strict = (): string => fileWith('driver: postgres, url: "${SKEP_LOG_URL}"');
  const run = (verb: string, file = strict(), more: Readonly<Record<string, string>> = {}) =>
    skep(`cluster ${verb} -f ${file} -o json`, { ...env, ...more });
  const findings = async (file = strict(), more: Readonly<Record<string, string>> = {}) => {
    const { code, out } = await run('check', file, more);
    const found = JSON.parse(out) as Finding[];
    return { code, by: (check: string): Finding => found.find((finding) => finding.check === check)! };
  };

  it('makes a log once, of so many shards, and says what it is', async () => {
    const before = await findings();
    expect([before.code, before.by('log').state]).toEqual([1, 'fault']);
    expect(before.by('log').mend).toContain('skep cluster init');
    expect((await run('status')).err).toContain('skep cluster init makes its tables');
    const made = await run('init --shards 3');
    expect(made).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(made.out)).toMatchObject({ database: `127.0.0.1:${pair.primary.port}/postgres`, shards: 3 });
    const again = await run('init');
    expect([again.code, again.out]).toEqual([1, '']);
    expect(again.err).toContain('there is a log');
    expect((await run('init --shards 0')).code).toBe(2);
  });

  it('finds a fit database fit, and times an append', async () => {
    const { code, by } = await findings();
    expect(code).toBe(0);
    expect(by('copies')).toMatchObject({ state: 'ok' });
    expect(by('copies').detail).toContain('FIRST 1 (standby)');
    expect(by('append').detail).toMatch(/^\d+\.\d ms until a write counts/);
    expect(by('permissions').state).toBe('ok');
    expect(by('snapshots')).toMatchObject({ state: 'warning', detail: expect.stringContaining('it grows') });
    expect(by('version').detail).toContain('PostgreSQL');
  });

  it('says so where one copy has a write, and init makes nothing there', async () => {
    await pair.primary.set('synchronous_standby_names', '');
    try {
      const alone = await findings();
      expect([alone.code, alone.by('copies').state]).toEqual([1, 'fault']);
      expect(alone.by('copies').detail).toContain('one copy');
      expect((await run('status')).code).toBe(0);
      const managed = await findings(fileWith('driver: postgres, url: "${SKEP_LOG_URL}", replication: managed'));
      expect([managed.code, managed.by('copies').state]).toEqual([0, 'warning']);
      expect(managed.by('copies').mend).toContain('ONE COPY');
      await pair.primary.sql('create database other');
      const other = { SKEP_LOG_URL: pair.primary.url.replace('/postgres', '/other') };
      const refused = await run('init', strict(), other);
      expect([refused.code, refused.err.includes('nothing was changed')]).toEqual([1, true]);
      expect((await findings(strict(), other)).by('log').detail).toContain('no log');
    } finally {
      await pair.primary.set('synchronous_standby_names', 'FIRST 1 (standby)');
    }
  });

  it('names what a user may not do, and a server that does not answer', async () => {
    await pair.primary.sql('create role guest login');
    const guest = { SKEP_LOG_URL: pair.primary.url.replace('skep@', 'guest@') };
    const { code, by } = await findings(strict(), guest);
    expect([code, by('permissions').state]).toEqual([1, 'fault']);
    expect(by('permissions').detail).toContain('skep_log');
    const away = await findings(strict(), { SKEP_LOG_URL: 'postgres://skep:hidden@127.0.0.1:1/postgres' });
    expect([away.code, away.by('database').state]).toEqual([1, 'fault']);
    expect(JSON.stringify(away.by('database'))).not.toContain('hidden');
  });

  it('shows owners and places, of a directory that no node has', { timeout: 60_000 }, async () => {
    const storage = `journal: { driver: postgres, url: "${pair.primary.url}" }`;
    const node = await startTestNode({ dir, storage });
    const served = await run('status', join(dir, 'platform.yaml'));
    expect(served.err).toContain('a node serves the data directory');
    const rows = JSON.parse(served.out) as ShardStatus[];
    expect(rows.map(({ shard }) => shard)).toEqual([0, 1, 2]);
    expect(rows.every(({ owner, here }) => owner?.endsWith('host-0') === true && here === null)).toBe(true);
    await node.stop();
    const stopped = JSON.parse((await run('status', join(dir, 'platform.yaml'))).out) as ShardStatus[];
    expect(stopped.every(({ owner, here, last }) => owner === null && here === last)).toBe(true);
    expect(stopped[0]!.last).toBeGreaterThan(1);
  });

  it(
    'copies the shards of a stopped node, and says of each what a start from nothing reads',
    { timeout: 60_000 },
    async () => {
      const copies = join(dir, 'copies');
      const storage = `journal: { driver: postgres, url: "${pair.primary.url}"`;
      const file = writePlatformFile(dir, { storage: `${storage}, snapshots: { to: "${copies}" } }` });
      const away = await run('snapshot', file);
      expect([away.code, away.err]).toEqual([1, expect.stringContaining('is its disk mounted?')]);
      mkdirSync(copies);
      const late = (await findings(file)).by('snapshots');
      expect(late.detail).toMatch(/^of 3 shards the copy is late \(of shard \d there is no copy\)/);
      const made = await run('snapshot', file);
      expect(JSON.parse(made.out)).toMatchObject({ copied: 3, unchanged: 0 });
      const shards = JSON.parse((await run('status', file)).out) as ShardStatus[];
      expect(shards.every(({ behind, copied, copy, last }) => copied !== null && copy === last && behind === 0)).toBe(
        true,
      );
      expect((await findings(file)).by('snapshots')).toMatchObject({ state: 'ok' });
      rmSync(copies, { recursive: true });
      writePlatformFile(dir, { storage: `${storage} }` });
    },
  );

  it('a node does not start over a directory of another log, or of files', { timeout: 60_000 }, async () => {
    const start = () => startNode(platformOf(join(dir, 'platform.yaml')), { doors: false });
    await pair.primary.sql(CLEAN);
    await expect(start()).rejects.toThrow('skep cluster init makes its tables');
    expect((await run('init --shards 3', join(dir, 'platform.yaml'))).code).toBe(0);
    await expect(start()).rejects.toThrow(/shard \d: the log ends at 0, and \d+ entries of it were read before/);
    rmSync(join(dir, 'data'), { recursive: true });
    const files = platformOf(writePlatformFile(dir));
    const node = await startNode(files);
    await node.provision('acme:shop:dev:main');
    await node.stop();
    const storage = `journal: { driver: postgres, url: "${pair.primary.url}" }`;
    writePlatformFile(dir, { storage });
    await expect(start()).rejects.toThrow(/its store has record \d+ of files/);
  });

  it('a clock that is behind the log goes on from the log', { timeout: 60_000 }, async () => {
    await pair.primary.sql(CLEAN);
    rmSync(join(dir, 'data'), { recursive: true });
    const storage = `journal: { driver: postgres, url: "${pair.primary.url}" }`;
    const file = writePlatformFile(dir, { storage });
    expect((await run('init --shards 2', file)).code).toBe(0);
    const ahead = Date.now() + 3_600_000;
    await pair.primary.sql(`update skep_shard set time = ${ahead}`);
    const engine = new PostgresEngine({ url: pair.primary.url, replication: 'strict', answerMs: 20_000 });
    const claim = await engine.claim({ shard: 1, seen: 0, owner: 'another machine', token: randomUUID() });
    expect(claim!.time).toBe(ahead);
    await engine.close();
    const node = await startTestNode({ dir, storage });
    const [tenant] = node.node.tenants();
    expect(tenant!.since).toBeGreaterThanOrEqual(ahead);
    await node.stop();
  });
});
