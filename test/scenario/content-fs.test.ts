/** A store with `index: fs` over HTTP: where its files lie, what is not believed, what is told, and that they go where their tenant goes. */
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { magazineIndexed, startMagazine, upload } from '#test/kit/magazine.ts';
import { TENANT, type PlatformWish } from '#test/kit/platform-file.ts';
import { exchange, type Headers, type TestNode } from '#test/kit/test-node.ts';
import { skep } from '#test/runtime/cli/recorder.ts';

const LIMIT = { timeout: 60_000 };

function scratch(): string {
  const dir = mkdtempSync(join(tmpdir(), 'skep-fs-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

const entryOf = (it: TestNode, tenant = TENANT) => it.node.tenants().find(({ position }) => position.key === tenant)!;
const filesOf = (it: TestNode, no = entryOf(it).no): string =>
  join(it.dir, 'data', 'content', String(no), 'media', 'index');
const namesIn = (dir: string): string[] => (existsSync(dir) ? readdirSync(dir).toSorted() : []);
const assets = (it: TestNode): string => `${it.gateway}/store/media/asset`;
const listed = async (it: TestNode): Promise<unknown> =>
  ((await it.call('GET', '/store/media/asset', await it.service())).json as { data: unknown }).data;

async function start(wish: PlatformWish & { readonly dir?: string } = {}): Promise<TestNode> {
  const it = await startMagazine({ localdir: magazineIndexed(scratch()), ...wish });
  let ended = false;
  const stop = async (): Promise<void> => {
    if (!ended) await it.stop();
    ended = true;
  };
  onTestFinished(stop);
  return { ...it, stop };
}

test('one file an asset, and no row; it is there after a start', LIMIT, async () => {
  const dir = scratch();
  const localdir = magazineIndexed(dir);
  const first = await start({ dir, localdir });
  const { json } = await upload(assets(first), await first.service(), 'bytes');
  expect(namesIn(filesOf(first))).toEqual([`${json.id}.json`]);
  expect(JSON.parse(readFileSync(join(filesOf(first), `${json.id}.json`), 'utf8').split('\n')[0]!)).toMatchObject({
    asset: json,
    versions: [{ number: 1, sha256: json.sha256 }],
  });
  const to = join(scratch(), 'export');
  const report = await first.node.copies.export({ tenant: TENANT, to });
  expect([report['rows'], namesIn(join(to, 'content', 'media', 'index'))]).toEqual([0, [`${json.id}.json`]]);
  await first.stop();
  const second = await start({ dir, localdir });
  expect(await listed(second)).toEqual([json]);
});

test('a damaged file is not served, and the others are', LIMIT, async () => {
  const dir = scratch();
  const localdir = magazineIndexed(dir);
  const first = await start({ dir, localdir });
  const headers = await first.service();
  const [good, bad] = [
    (await upload(assets(first), headers, 'a')).json,
    (await upload(assets(first), headers, 'b')).json,
  ];
  const path = join(filesOf(first), `${bad.id}.json`);
  await first.stop();
  writeFileSync(path, readFileSync(path, 'utf8').replace('a.txt', 'b.txt'));
  const second = await start({ dir, localdir });
  expect(await listed(second)).toEqual([good]);
  for (const more of ['', '/download', '/versions'])
    expect((await second.call('GET', `/store/media/asset/${bad.id}${more}`, await second.service())).status).toBe(404);
});

test('backup, restore, move and delete take the files along, unchanged', LIMIT, async () => {
  const it = await start();
  const headers = await it.service();
  const folder = (await it.call('POST', '/store/media/folder', headers, { name: 'f' })).json as { id: string };
  const made: { id: string }[] = [];
  for (const text of ['one', 'two', 'three'])
    made.push((await upload(assets(it), headers, text, { fields: { title: text, folder_id: folder.id } })).json);
  await upload(`${assets(it)}/${made[0]!.id}`, headers, 'one again', { method: 'PATCH' });
  const expected = await listed(it);
  const texts = (): string[] => namesIn(filesOf(it)).map((name) => readFileSync(join(filesOf(it), name), 'utf8'));
  const files = texts();
  const check = async (): Promise<void> => {
    expect([await listed(it), texts()]).toEqual([expected, files]);
    const at = `${assets(it)}/${made[0]!.id}/download`;
    const text = async (query: string) => (await fetch(at + query, { headers: await it.service() })).text();
    expect([await text(''), await text('?version=1')]).toEqual(['one again', 'one']);
  };
  const to = join(it.dir, 'main.skep');
  await it.node.copies.backup({ tenant: TENANT, to });
  await it.node.copies.move({ tenant: TENANT, shard: (entryOf(it).shard + 1) % 4 });
  await check();
  await upload(assets(it), await it.service(), 'behind the backup');
  const { no } = entryOf(it);
  await it.node.copies.delete({ tenant: TENANT, confirm: TENANT });
  expect(namesIn(filesOf(it, no))).toEqual([]);
  await it.node.copies.restore({ from: to });
  await check();
  expect((await it.call('DELETE', `/store/media/folder/${folder.id}`, await it.service())).status).toBe(409);
});

test('a key whose answer a crash took: its request is not carried out again', LIMIT, async () => {
  const dir = scratch();
  const localdir = magazineIndexed(dir);
  const data = join(dir, 'data');
  const before = join(scratch(), 'before');
  const wish = { dir, localdir };
  const first = await start(wish);
  const known = (await upload(assets(first), await first.service(), 'known')).json;
  await first.stop();
  cpSync(data, before, { recursive: true });
  const ask = async (it: TestNode, key: string): Promise<(readonly [number, unknown])[]> => {
    // A key is its principal's: the same one each time.
    const Authorization = `Bearer ${await exchange(it.gateway, first.serviceKey)}`;
    const headers: Headers = { ...it.position(), Authorization, 'Idempotency-Key': key };
    const made = await upload(assets(it), headers, 'once');
    const patched = await it.call('PATCH', `/store/media/asset/${known.id}`, headers, { title: key });
    const told = (one: { status: number; json: unknown }) =>
      [one.status, (one.json as { code?: string }).code] as const;
    return [told(made), told(patched)];
  };
  const second = await start(wish);
  expect(await ask(second, 'k')).toEqual([
    [201, undefined],
    [200, undefined],
  ]);
  const expected = await listed(second);
  await second.stop();
  // What a crash leaves between the file and the commit: the files of after, everything else of before.
  for (const name of readdirSync(data)) if (name !== 'content') rmSync(join(data, name), { recursive: true });
  cpSync(before, data, { recursive: true, filter: (path) => path !== join(before, 'content') });
  const third = await start(wish);
  expect(await ask(third, 'k')).toEqual([
    [409, 'content.idempotency_key_in_use'],
    [409, 'content.idempotency_key_in_use'],
  ]);
  expect(await listed(third)).toEqual(expected);
});

test('changes reach the audit log as those of rows do', LIMIT, async () => {
  const dir = scratch();
  const it = await start({
    dir,
    localdir: magazineIndexed(dir),
    extra: 'audit: { enabled: true, name: audit.example }\n',
  });
  const headers = await it.service();
  const { id } = (await upload(assets(it), headers, 'x')).json;
  await it.call('PATCH', `/store/media/asset/${id}`, headers, { title: 'T' });
  await it.call('PATCH', `/store/media/asset/${id}`, headers, { nothing: 1 });
  await it.call('DELETE', `/store/media/asset/${id}`, headers);
  await it.stop();
  const log = join(it.platform.audit.base_dir, `tenant/${TENANT.replaceAll(':', '/')}`);
  const { out } = await skep(`audit query ${log} --limit 1000 --output json`);
  const events = (JSON.parse(out) as { action: string; target: string; data: object }[]).filter(
    ({ target }) => target === id,
  );
  expect(events.map(({ action, data }) => [action, (data as { version: number }).version])).toEqual([
    ['data.asset.create', 1],
    ['data.asset.update', 2],
    ['data.asset.delete', 2],
  ]);
});
