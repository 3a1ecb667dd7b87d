/** A tenant as it was at a time, out of the history of a log in a PostgreSQL, by the command. Contract: docs/contract/platform.md §6; docs/decisions/storage.md ST-47. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openControl } from '#runtime/control.ts';
import { createTables } from '#storage/log-engine/postgres/create.ts';
import { OTHER_TENANT, TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { hasPostgres, PostgresPair } from '#test/kit/postgres-server.ts';
import { call, positionHeaders, startTestNode, type Headers, type TestNode } from '#test/kit/test-node.ts';
import { skep } from '#test/runtime/cli/recorder.ts';

const LIMIT = { timeout: 90_000 };
const SHARDS = 3;
const SHOP = fileURLToPath(new URL('../kit/products/shop', import.meta.url));
const THEN = ['then', 'now', 'gone', 'part'].map((name) => `acme:shop:dev:${name}`);

interface Restored {
  readonly moment: string;
  readonly records: number;
  readonly missing_files: number;
}

describe.runIf(hasPostgres)('a tenant as it was at a time', () => {
  const dir = mkdtempSync(join(tmpdir(), 'skep-then-'));
  const copies = join(dir, 'copies');
  const file = join(dir, 'platform.yaml');
  let pair: PostgresPair;
  let it: TestNode;
  let closeControl: () => Promise<void> | void;
  /** Good in every tenant of the product that has it: restored ones, too. */
  const keys = new Map<string, string>();

  beforeAll(async () => {
    pair = await PostgresPair.start();
    mkdirSync(copies);
    const { url } = pair.primary;
    await createTables({ url, replication: 'strict', answerMs: 20_000 }, SHARDS);
    const storage = `history: 24h, journal: { driver: postgres, url: "${url}", snapshots: { to: "${copies}" } }`;
    const tenant = THEN.map((name) => `    - key: ${name}\n      meta: { localdir: ${SHOP} }\n`).join('');
    it = await startTestNode({ dir, storage, tenant });
    closeControl = await openControl(it.platform.storage.dir, it.node);
    const wish = { service: 'test', capabilities: { scope: ['acme:dev:shop:*'] } };
    for (const name of [TENANT, OTHER_TENANT])
      keys.set(name, ((await it.node.ask(name, 'identity', 'key.issue', wish)) as { key: string }).key);
    keys.set('acme:shop:dev:gone', keys.get(OTHER_TENANT)!);
  }, 120_000);
  afterAll(async () => {
    await closeControl();
    await it.stop();
    await pair.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  async function bearerOf(tenant: string): Promise<Headers> {
    const headers = positionHeaders(tenant);
    const key = keys.get(tenant) ?? keys.get(TENANT)!;
    const answer = await call(it.gateway, 'POST', '/auth/token', { ...headers, Authorization: `ApiKey ${key}` });
    expect(answer.status, answer.text).toBe(200);
    return { ...headers, Authorization: `Bearer ${(answer.json as { token: string }).token}` };
  }

  async function create(tenant: string, name: string): Promise<string> {
    const answer = await call(it.gateway, 'POST', '/data/rest/item', await bearerOf(tenant), { name });
    expect(answer.status, answer.text).toBe(201);
    return (answer.json as { data: { id: string }[] }).data[0]!.id;
  }

  async function names(tenant: string): Promise<string[]> {
    const answer = await call(it.gateway, 'GET', '/data/rest/item?limit=1000', await bearerOf(tenant));
    expect(answer.status, answer.text).toBe(200);
    return (answer.json as { data: { name: string }[] }).data.map(({ name }) => name).toSorted();
  }

  /** An instant behind all that was answered, and before all that is asked from here on. */
  async function instant(): Promise<string> {
    const at = Date.now();
    while (Date.now() <= at) await new Promise((resolve) => setTimeout(resolve, 1));
    return new Date(at).toISOString();
  }

  async function copy(): Promise<{ copied: number; pieces: number }> {
    const made = await skep(`cluster snapshot -f ${file} -o json`);
    expect(made.code, made.err).toBe(0);
    return JSON.parse(made.out) as { copied: number; pieces: number };
  }

  const restore = (tenant: string, at: string, as: string, more = '') =>
    skep(`tenant restore -f ${file} ${tenant} --at ${at} --as ${as} ${more}-o json`);

  async function restored(tenant: string, at: string, as: string): Promise<Restored> {
    const { code, err, out } = await restore(tenant, at, as);
    expect(code, err).toBe(0);
    return JSON.parse(out) as Restored;
  }

  async function refusal(tenant: string, at: string, as = 'acme:shop:dev:part'): Promise<string> {
    const { code, err, out } = await restore(tenant, at, as);
    expect([code, out]).toEqual([1, '']);
    return err;
  }

  const piecesIn = (): string[] =>
    readdirSync(copies, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.log'))
      .map((name) => join(copies, name));

  const time: Record<'early' | 'before' | 'filed' | 'whole', string> = { early: '', before: '', filed: '', whole: '' };

  test(
    'comes back beside what it is now: deleted rows, files, and what was cut from the log since',
    LIMIT,
    async () => {
      time.early = await instant();
      await create(TENANT, 'first');
      await copy();
      const wrong = await create(TENANT, 'second');
      time.before = await instant();
      const form = new FormData();
      for (const [name, value] of Object.entries({ id: 'filed', title: 'filed' })) form.set(name, value);
      form.set('scan', new File(['bytes of a file'], 'a.txt'));
      const bearer = await bearerOf(TENANT);
      const sent = await fetch(`${it.gateway}/data/rest/paper`, { method: 'POST', headers: bearer, body: form });
      expect(sent.status).toBe(201);
      time.filed = await instant();
      const gone = await call(it.gateway, 'DELETE', `/data/rest/item/id/${wrong}`, bearer);
      expect(gone.status).toBe(200);
      let pieces = 0;
      for (let n = 0; n < 4; n++) {
        for (const tenant of [TENANT, OTHER_TENANT]) await create(tenant, `later ${n}`);
        pieces += (await copy()).pieces;
      }
      expect(pieces).toBeGreaterThan(0);
      const report = await restored(TENANT, time.filed, 'acme:shop:dev:then');
      expect(report).toMatchObject({ moment: time.filed, missing_files: 0, state: 'active' });
      expect(report.records).toBeGreaterThan(0);
      expect(await names('acme:shop:dev:then')).toEqual(['first', 'second']);
      const read = await fetch(`${it.gateway}/data/rest/paper/id/filed?download=true&field=scan`, {
        headers: await bearerOf('acme:shop:dev:then'),
      });
      expect(await read.text()).toBe('bytes of a file');
      expect(await names(TENANT)).toEqual(['first', 'later 0', 'later 1', 'later 2', 'later 3']);
      expect(readdirSync(join(dir, 'data', 'shard-copies'))).toEqual([]);
      expect(readdirSync(join(dir, 'data')).filter((name) => name.endsWith('.skep'))).toEqual([]);
    },
  );

  test('the newest write that was answered is there, though no entry follows it', LIMIT, async () => {
    await create(TENANT, 'newest');
    time.whole = await instant();
    await restored(TENANT, time.whole, 'acme:shop:dev:now');
    expect(await names('acme:shop:dev:now')).toEqual(await names(TENANT));
  });

  test('one that was deleted since is found, under another name and under its own', LIMIT, async () => {
    await create(OTHER_TENANT, 'kept');
    const rows = await names(OTHER_TENANT);
    const at = await instant();
    const deleted = await skep(`tenant delete -f ${file} ${OTHER_TENANT} --confirm ${OTHER_TENANT}`);
    expect(deleted.code, deleted.err).toBe(0);
    await restored(OTHER_TENANT, at, 'acme:shop:dev:gone');
    expect(await names('acme:shop:dev:gone')).toEqual(rows);
    await restored(OTHER_TENANT, at, OTHER_TENANT);
    expect(await names(OTHER_TENANT)).toEqual(rows);
    const during = await instant();
    expect(await refusal('acme:shop:dev:gone', at)).toContain(`there was no tenant acme:shop:dev:gone at ${at}`);
    expect(await refusal('acme:shop:dev:never', during)).toContain('there was no tenant acme:shop:dev:never');
  });

  test('a time that cannot be had is refused: it says what can, and nothing is left behind', LIMIT, async () => {
    const next = new Date(Date.now() + 3_600_000).toISOString();
    expect(await refusal(TENANT, next)).toContain(`${next} has not come yet`);
    const early = await refusal(TENANT, time.early);
    const oldest = /the oldest copy of shard \d in .* is of (.*): name that instant/.exec(early);
    expect(oldest, early).not.toBeNull();
    expect(oldest![1]! > time.early && oldest![1]! < time.before).toBe(true);
    expect((await restore(TENANT, 'yesterday', 'acme:shop:dev:part')).code).toBe(2);
    const nameless = await skep(`tenant restore -f ${file} ${TENANT} --at ${time.before}`);
    expect([nameless.code, nameless.err.includes('add --as <tenant>')]).toEqual([2, true]);
    expect(await refusal(TENANT, time.before, TENANT)).toContain(TENANT);
    expect(readdirSync(join(dir, 'data', 'shard-copies'))).toEqual([]);
  });

  test('a piece that is altered or gone is refused by its name; so is one moment, and not another', LIMIT, async () => {
    const kept = piecesIn().map((path) => [path, readFileSync(path)] as const);
    expect(kept.length).toBeGreaterThan(0);
    for (const [path, bytes] of kept) {
      const wrong = Buffer.from(bytes);
      wrong[wrong.length >> 1]! ^= 1;
      writeFileSync(path, wrong);
    }
    // Only copies from before it lead to this time.
    const removed = copiesBetween(time.before, time.whole);
    expect(await refusal(TENANT, time.filed)).toMatch(/history\/\d\/.*\.log: its bytes are not those that were stored/);
    for (const [path] of kept) rmSync(path);
    expect(await refusal(TENANT, time.filed)).toMatch(/entries \d+ to \d+ are in no piece in /);
    for (const [path, bytes] of kept) writeFileSync(path, bytes);
    await restored(TENANT, time.filed, 'acme:shop:dev:part');
    expect(await names('acme:shop:dev:part')).toEqual(['first', 'second']);
    for (const path of removed) renameSync(`${path}.aside`, path);
  });

  /** Puts copies aside that were made between two times. */
  function copiesBetween(from: string, to: string): string[] {
    const names = readdirSync(copies, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.mdb'));
    const between = names.filter((name) => {
      const madeMs = Number(/-(\d{13})-[0-9a-f]{64}\.mdb$/.exec(name)![1]);
      return madeMs > Date.parse(from) && madeMs <= Date.parse(to);
    });
    const paths = between.map((name) => join(copies, name));
    for (const path of paths) renameSync(path, `${path}.aside`);
    return paths;
  }

  test('a node on files has no history, and says what it has', async () => {
    const other = mkdtempSync(join(tmpdir(), 'skep-then-files-'));
    const { code, err } = await skep(
      `tenant restore -f ${writePlatformFile(other)} ${TENANT} --at ${time.before} --as acme:shop:dev:part`,
    );
    rmSync(other, { recursive: true });
    expect([code, err.includes('skep backup restore --at')]).toEqual([1, true]);
    const wrong = mkdtempSync(join(tmpdir(), 'skep-then-files-'));
    const checked = await skep(`check -f ${writePlatformFile(wrong, { storage: 'history: 24h' })}`);
    rmSync(wrong, { recursive: true });
    expect([checked.code, `${checked.err}${checked.out}`.includes('a history is kept beside copies')]).toEqual([
      2,
      true,
    ]);
  });
});
