/** The files of content stores are a tenant's too: they go where it goes. docs/decisions/backup.md BK-3. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startMagazine, upload } from '#test/kit/magazine.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { S3_KEYS, startS3 } from '#test/kit/s3-server.ts';

const COPY = 'acme:shop:dev:copy';

test('an asset comes back with its bytes, moves with its tenant, and goes with it', { timeout: 60_000 }, async () => {
  const it = await startMagazine();
  onTestFinished(() => it.stop());
  const made = await upload(`${it.gateway}/store/media/asset`, await it.service(), 'the bytes of an asset');
  expect(made.status).toBe(201);
  const asset = `${it.gateway}/store/media/asset/${made.json.id}/download`;
  const download = async (): Promise<[number, string]> => {
    const response = await fetch(asset, { headers: await it.service() });
    return [response.status, await response.text()];
  };
  const to = join(it.dir, 'main.skep');
  const filesOf = (no: number): string[] => filesIn(join(it.dir, 'data', 'content', String(no)));
  const entry = () => it.node.tenants().find(({ position }) => position.key === TENANT)!;
  await it.node.copies.backup({ tenant: TENANT, to });
  const first = entry();
  expect(filesOf(first.no)).toHaveLength(1);
  await it.node.copies.delete({ tenant: TENANT, confirm: TENANT });
  expect(filesOf(first.no)).toEqual([]);
  await it.node.copies.restore({ from: to });
  expect(await download()).toEqual([200, 'the bytes of an asset']);
  const second = entry();
  await it.node.copies.move({ tenant: TENANT, shard: (second.shard + 1) % 4 });
  expect(await download()).toEqual([200, 'the bytes of an asset']);
  expect([filesOf(second.no), filesOf(entry().no).length]).toEqual([[], 1]);
});

/** Names of the files below a directory; none where it is not there. */
function filesIn(directory: string): string[] {
  if (!existsSync(directory)) return [];
  const found = readdirSync(directory, { recursive: true, withFileTypes: true });
  return found.filter((one) => one.isFile()).map((one) => one.name);
}

const KINDS = ['os', 's3'] as const;

test.each(KINDS)(
  'a store of kind %s: what lies by the key of its tenant is copied, stays in a move, and goes in a deletion',
  { timeout: 60_000 },
  async (kind) => {
    const s3 = await startS3();
    onTestFinished(() => s3.stop());
    const media = mkdtempSync(join(tmpdir(), 'skep-copied-'));
    onTestFinished(() => rmSync(media, { recursive: true, force: true }));
    const root =
      kind === 'os'
        ? `{ type: os, path: ${media} }`
        : `{ type: s3, url: "127.0.0.1:${s3.port}", accesskey: ${S3_KEYS.access}, secretkey: ${S3_KEYS.secret}, usessl: false, path: media }`;
    const it = await startMagazine({
      tenant: `      contentstores:\n        - { name: media, contentroot: ${root} }\n`,
    });
    onTestFinished(() => it.stop());
    /** Paths below the root, of which both tenants have their own. */
    const kept = (tenant: string): string[] => {
      const place = `${tenant.replaceAll(':', '/')}/media/`;
      const all =
        kind === 's3'
          ? [...s3.objects.keys()]
          : readdirSync(media, { recursive: true, withFileTypes: true })
              .filter((one) => one.isFile())
              .map((one) => join(one.parentPath, one.name).slice(media.length + 1));
      return all.filter((path) => path.startsWith(place)).map((path) => path.split('/').at(-1)!);
    };
    const assets = `${it.gateway}/store/media/asset`;
    const made = await upload(assets, await it.service(), 'the first text');
    const { id, sha256: first } = made.json as { id: string; sha256: string };
    const again = await upload(`${assets}/${id}`, await it.service(), 'the second text', { method: 'PATCH' });
    expect([made.status, again.status]).toEqual([201, 200]);
    const { sha256: second } = again.json as { sha256: string };
    const both = [first, second].toSorted();
    expect(kept(TENANT).toSorted()).toEqual(both);
    const download = async (): Promise<[number, string]> => {
      const response = await fetch(`${assets}/${id}/download`, { headers: await it.service() });
      return [response.status, await response.text()];
    };
    const entry = () => it.node.tenants().find(({ position }) => position.key === TENANT)!;
    const here = (no: number): string => join(it.dir, 'data', 'content', String(no));

    await it.node.copies.export({ tenant: TENANT, to: join(it.dir, 'export') });
    const exported = join(it.dir, 'export', 'content', 'media');
    expect(readdirSync(exported).toSorted()).toEqual(both);
    expect(readFileSync(join(exported, second), 'utf8')).toBe('the second text');

    const backup = join(it.dir, 'main.skep');
    // The third is the revision that the tenant serves.
    expect(await it.node.copies.backup({ tenant: TENANT, to: backup })).toMatchObject({ files: 3 });
    await it.node.copies.move({ tenant: TENANT, shard: (entry().shard + 1) % 4 });
    expect([await download(), kept(TENANT).length]).toEqual([[200, 'the second text'], 2]);
    const { no } = entry();
    await it.node.copies.delete({ tenant: TENANT, confirm: TENANT });
    expect([kept(TENANT), filesIn(here(no))]).toEqual([[], []]);
    await it.node.copies.restore({ from: backup });
    expect([await download(), kept(TENANT).toSorted()]).toEqual([[200, 'the second text'], both]);

    // A copy beside it has no such root: its files lie in the data directory, and what goes with it is its own.
    await it.node.copies.restore({ from: backup, as: COPY });
    const copy = it.node.tenants().find(({ position }) => position.key === COPY)!;
    expect(readdirSync(here(copy.no))).toEqual(['media']);
    await it.node.copies.delete({ tenant: COPY, confirm: COPY });
    expect([await download(), kept(TENANT).length, filesIn(here(copy.no))]).toEqual([[200, 'the second text'], 2, []]);
    expect(s3.refused).toEqual([]);
  },
);

test(
  'a bucket that does not answer: the backup fails, the tenant serves on, nothing is left',
  { timeout: 60_000 },
  async () => {
    const s3 = await startS3();
    const it = await startMagazine({
      tenant: `      contentstores:
        - name: media
          contentroot: { type: s3, url: "127.0.0.1:${s3.port}", accesskey: ${S3_KEYS.access}, secretkey: ${S3_KEYS.secret}, usessl: false, path: media }
`,
    });
    onTestFinished(() => it.stop());
    expect((await upload(`${it.gateway}/store/media/asset`, await it.service(), 'bytes')).status).toBe(201);
    await s3.stop();
    const to = join(it.dir, 'main.skep');
    await expect(it.node.copies.backup({ tenant: TENANT, to })).rejects.toThrow();
    await expect(it.node.copies.export({ tenant: TENANT, to: join(it.dir, 'export') })).rejects.toThrow();
    expect(readdirSync(it.dir).filter((name) => /main|export/.test(name))).toEqual([]);
    expect((await it.call('GET', '/store/media/asset', await it.service())).status).toBe(200);
  },
);

test('an export has old versions and users, and no credential', { timeout: 60_000 }, async () => {
  const it = await startMagazine();
  onTestFinished(() => it.stop());
  const person = { email: 'ada@example.org', password: 'correct horse battery', roles: ['tenant_user'], replace: true };
  await it.node.ask(TENANT, 'identity', 'person.ensure', person);
  const posts = '/content/blog/blog.post';
  const headers = await it.service();
  const { id } = (await it.call('POST', posts, headers, { title: 'One' })).json as { id: string };
  expect((await it.call('PATCH', `${posts}/${id}`, headers, { title: 'Two' })).status).toBe(200);
  const to = join(it.dir, 'export');
  const report = await it.node.copies.export({ tenant: TENANT, to });
  const lines = (name: string): Record<string, unknown>[] =>
    readFileSync(join(to, name), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines('entities/post.jsonl')).toMatchObject([{ id, title: 'Two', version: 2 }]);
  expect(lines('versions/post.jsonl')).toMatchObject([{ id, title: 'One', version: 1 }]);
  const users = lines('users.jsonl');
  expect(users).toMatchObject([{ email: 'ada@example.org', roles: ['tenant_user'] }]);
  expect(Object.keys(users[0]!)).not.toContain('password_hash');
  expect(report).toMatchObject({ users: 1, versions: 1 });
  const manifest = JSON.parse(readFileSync(join(to, 'manifest.json'), 'utf8')) as object;
  expect(manifest).toMatchObject({ users: 1, versions: { post: 1 }, entities: { post: 1 }, content: {} });
});
