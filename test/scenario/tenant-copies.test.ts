/** Tenants copied, moved and deleted on a real node while it serves. Issue: admin plane, "tenant backup|restore|export|move|delete"; docs/decisions/backup.md BK-1 to BK-12. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CONTROL_PLANE } from '#actors/protocol/position.ts';
import { OTHER_TENANT, TENANT } from '#test/kit/platform-file.ts';
import { call, positionHeaders, startTestNode, type Headers, type TestNode } from '#test/kit/test-node.ts';

const COPY = 'acme:shop:dev:copy';
const LIMIT = { timeout: 60_000 };

interface Page {
  readonly data: readonly Record<string, unknown>[];
}

let it: TestNode;
let bearer: Headers;
/** A key of TENANT, good in every tenant of its product. */
let wideKey: string;
beforeAll(async () => {
  it = await startTestNode({ hosts: 2 });
  const wish = { service: 'test', capabilities: { scope: ['acme:dev:shop:*'] } };
  wideKey = ((await it.node.ask(TENANT, 'identity', 'key.issue', wish)) as { key: string }).key;
  bearer = await bearerOf(TENANT);
}, 60_000);
afterAll(() => it.stop());

const at = (name: string): string => join(it.dir, name);

/** A service token that the tenant itself has given. */
async function bearerOf(tenant: string): Promise<Headers> {
  const headers = positionHeaders(tenant);
  const answer = await call(it.gateway, 'POST', '/auth/token', { ...headers, Authorization: `ApiKey ${wideKey}` });
  return { ...headers, Authorization: `Bearer ${(answer.json as { token: string }).token}` };
}

async function rowsOf(headers: Headers, entity: string): Promise<Page['data']> {
  const page = await it.call('GET', `/data/rest/${entity}?limit=10000&orderby=id`, headers);
  expect(page.status, page.text).toBe(200);
  return (page.json as Page).data;
}

async function create(headers: Headers, name: string): Promise<number> {
  return (await it.call('POST', '/data/rest/item', headers, { name })).status;
}

async function upload(id: string, bytes: string): Promise<void> {
  const body = new FormData();
  body.append('id', id);
  body.append('title', id);
  body.append('scan', new File([bytes], 'a.txt'));
  const answer = await fetch(`${it.gateway}/data/rest/paper`, { method: 'POST', headers: bearer, body });
  expect(answer.status, await answer.text()).toBe(201);
}

async function download(headers: Headers, id: string): Promise<string> {
  return (await fetch(`${it.gateway}/data/rest/paper/id/${id}?download=true&field=scan`, { headers })).text();
}

describe('a backup of a tenant that serves', () => {
  beforeAll(async () => {
    for (let i = 0; i < 40; i++) expect(await create(bearer, `before-${i}`)).toBe(201);
    await upload('p1', 'the bytes of a file');
    await upload('p2', 'x'.repeat(200_000));
    await upload('p3', '');
  });

  test('no request fails beside it, and what is written after it began is not in it', LIMIT, async () => {
    const statuses = new Map<number, number>();
    const loading = new AbortController();
    const load = Array.from({ length: 8 }, async (_, no) => {
      for (let i = 0; !loading.signal.aborted; i++) {
        const status = await create(bearer, `beside-${no}-${i}`);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    });
    for (let i = 0; i < 3; i++) await it.node.copies.backup({ tenant: TENANT, to: at(`load-${i}.skep`) });
    loading.abort();
    await Promise.all(load);
    expect([...statuses.keys()]).toEqual([201]);
    const rows = await rowsOf(bearer, 'item');
    const { entries } = await it.node.copies.backup({ tenant: TENANT, to: at('main.skep') });
    expect(entries).toBeGreaterThan(rows.length);
    expect(readdirSync(it.dir).filter((name) => name.endsWith('.partial'))).toEqual([]);
    expect(statSync(at('main.skep')).mode & 0o777).toBe(0o600);
  });

  test('restored under another name it holds the same rows, files, users and keys', LIMIT, async () => {
    const report = await it.node.copies.restore({ from: at('main.skep'), as: COPY });
    // Three files of rows, and the revision that the tenant serves.
    expect(report).toMatchObject({ tenant: COPY, from: TENANT, state: 'active', blobs: 4, missing_blobs: 0 });
    const copy = await bearerOf(COPY); // the key came along
    for (const entity of ['item', 'paper']) expect(await rowsOf(copy, entity)).toEqual(await rowsOf(bearer, entity));
    for (const id of ['p1', 'p2', 'p3']) expect(await download(copy, id)).toBe(await download(bearer, id));
    expect(await create(copy, 'only in the copy')).toBe(201);
    expect((await rowsOf(bearer, 'item')).some(({ name }) => name === 'only in the copy')).toBe(false);
  });

  test('what is there is not written over', LIMIT, async () => {
    await expect(it.node.copies.backup({ tenant: TENANT, to: at('main.skep') })).rejects.toThrow('--overwrite');
    await it.node.copies.backup({ tenant: TENANT, to: at('main.skep'), over: true });
    await expect(it.node.copies.restore({ from: at('main.skep') })).rejects.toThrow(`${TENANT} is there already`);
    await expect(it.node.copies.backup({ tenant: 'acme:shop:dev:absent', to: at('n') })).rejects.toThrow('no tenant');
    await expect(it.node.copies.backup({ tenant: CONTROL_PLANE, to: at('n') })).rejects.toThrow('control plane');
    await expect(it.node.copies.backup({ tenant: TENANT, to: at('no/such/dir') })).rejects.toThrow('cannot be written');
    await expect(it.node.copies.restore({ from: at('nothing.skep') })).rejects.toThrow('cannot be read');
  });

  test('an altered one is refused before anything is written', LIMIT, async () => {
    const bytes = readFileSync(at('main.skep'));
    bytes[Math.floor(bytes.length / 2)]! ^= 1;
    writeFileSync(at('altered.skep'), bytes);
    const tenants = it.node.tenants();
    await expect(it.node.copies.restore({ from: at('altered.skep'), as: 'acme:shop:dev:never' })).rejects.toThrow(
      'was altered',
    );
    expect(it.node.tenants()).toEqual(tenants);
  });

  test('exported for people: an entity a file, files by their digest', LIMIT, async () => {
    const report = await it.node.copies.export({ tenant: TENANT, to: at('export') });
    const items = readFileSync(at('export/entities/item.jsonl'), 'utf8').trimEnd().split('\n');
    const names = items.map((line) => (JSON.parse(line) as { name: string }).name).toSorted();
    expect(names).toEqual((await rowsOf(bearer, 'item')).map(({ name }) => name as string).toSorted());
    for (const name of readdirSync(at('export/files')))
      expect(
        createHash('sha256')
          .update(readFileSync(at(`export/files/${name}`)))
          .digest('hex'),
      ).toBe(name);
    const manifest = JSON.parse(readFileSync(at('export/manifest.json'), 'utf8')) as object;
    expect(manifest).toMatchObject({ tenant: TENANT, files: 3, entities: { item: items.length, paper: 3 } });
    expect(report).toMatchObject({ files: 3 });
    await expect(it.node.copies.export({ tenant: TENANT, to: at('export') })).rejects.toThrow('exists already');
  });
});

describe('a move', () => {
  test('to another shard: the same rows and files, and its old place is empty', LIMIT, async () => {
    const before = it.node.tenants().find(({ position }) => position.key === COPY)!;
    const copy = await bearerOf(COPY);
    const rows = await rowsOf(copy, 'item');
    const shard = (before.shard + 1) % 2;
    await expect(it.node.copies.move({ tenant: COPY, shard: before.shard })).rejects.toThrow('already');
    await expect(it.node.copies.move({ tenant: COPY, shard: 99 })).rejects.toThrow('no shard 99');
    await it.node.copies.move({ tenant: COPY, shard });
    const after = it.node.tenants().find(({ position }) => position.key === COPY)!;
    expect(after).toMatchObject({ shard, state: 'active' });
    expect(after.no).toBeGreaterThan(before.no);
    expect(await rowsOf(copy, 'item')).toEqual(rows);
    expect(await download(copy, 'p2')).toBe('x'.repeat(200_000));
    expect(await create(copy, 'after the move')).toBe(201);
    expect(existsSync(join(it.dir, 'data', 'blobs', String(before.no)))).toBe(false);
    expect(readdirSync(join(it.dir, 'data', 'moving'))).toEqual([]);
  });
});

describe('a deletion', () => {
  test('needs its name twice', LIMIT, async () => {
    await expect(it.node.copies.delete({ tenant: COPY, confirm: OTHER_TENANT })).rejects.toThrow(`--confirm ${COPY}`);
    expect(await create(await bearerOf(COPY), 'still there')).toBe(201);
  });

  test(
    'no caller finds the tenant any more; a later one of its name begins empty, with another number',
    LIMIT,
    async () => {
      const { no } = it.node.tenants().find(({ position }) => position.key === COPY)!;
      const copy = await bearerOf(COPY);
      await it.node.copies.delete({ tenant: COPY, confirm: COPY });
      expect(it.node.tenants().map(({ position }) => position.key)).not.toContain(COPY);
      const answer = await it.call('GET', '/data/rest/item', copy);
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('invalid tenant')]);
      expect(existsSync(join(it.dir, 'data', 'blobs', String(no)))).toBe(false);
      await it.node.copies.restore({ from: at('main.skep'), as: COPY });
      expect(it.node.tenants().find(({ position }) => position.key === COPY)!.no).toBeGreaterThan(no);
      expect((await rowsOf(await bearerOf(COPY), 'item')).some(({ name }) => name === 'still there')).toBe(false);
    },
  );

  test('of a configured tenant: its position answers as that of one that is not active', LIMIT, async () => {
    await it.node.copies.delete({ tenant: OTHER_TENANT, confirm: OTHER_TENANT });
    const other = { ...bearer, ...positionHeaders(OTHER_TENANT) };
    const answer = await it.call('GET', '/data/rest/item', other);
    expect([answer.status, answer.json]).toEqual([403, expect.objectContaining({ code: 'v2.no_tenant' })]);
    await it.node.provision(OTHER_TENANT);
    expect(await rowsOf(other, 'item')).toEqual([]);
  });
});
