/** Content stores over HTTP. Source: docs/contract/content.md §5. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startMagazine, upload } from '#test/kit/magazine.ts';
import { OTHER_TENANT } from '#test/kit/platform-file.ts';
import { SharedCache } from '#test/kit/shared-cache.ts';
import type { Headers, TestNode } from '#test/kit/test-node.ts';

let node: TestNode;
let editor: Headers;
let reader: Headers;
const of = (path: string): string => `${node.gateway}/store/media/${path}`;
const sha = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
// oxlint-disable-next-line typescript/no-explicit-any
const get = async (path: string, headers: Headers = editor): Promise<{ status: number; json: any; headers: any }> => {
  const answer = await node.call('GET', path, headers);
  return { status: answer.status, json: answer.json, headers: answer.headers };
};

beforeAll(async () => {
  node = await startMagazine();
  editor = await node.service();
  reader = node.position();
});
afterAll(() => node.stop());

describe('an asset', () => {
  test('is stored, described, listed, downloaded', async () => {
    const fields = { title: 'A', alt: 'b', tags: 'x, y', credit: '12' };
    const { status, json, headers } = await upload(of('asset'), editor, 'hello', { name: '../../etc/hé.txt', fields });
    expect([status, json]).toMatchObject([
      201,
      { store: 'media', folder_id: null, name: 'hé.txt', content_type: 'text/plain', size: 5, sha256: sha('hello') },
    ]);
    expect(json).toMatchObject({ title: 'A', alt: 'b', tags: ['x', 'y'], credit: '12', version: 1, width: null });
    expect(headers.get('location')).toBe(`/store/media/asset/${json.id}`);
    const read = await get(`/store/media/asset/${json.id}`);
    expect([read.json, read.headers.get('etag'), headers.get('etag')]).toEqual([json, '"1"', '"1"']);
    const listed = await get('/store/media/asset?tag=x&name=h%C3%A9.txt');
    expect(listed.json).toEqual({ data: [json], count: 1, page: { has_next_page: false, end_cursor: json.id } });
    const response = await fetch(of(`asset/${json.id}/download`), { headers: reader });
    expect([response.status, await response.text()]).toEqual([200, 'hello']);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/plain',
      'content-length': '5',
      etag: `"${sha('hello')}"`,
      'cache-control': 'public, max-age=3600',
      'content-disposition': `inline; filename="h_.txt"; filename*=UTF-8''h%C3%A9.txt`,
      'x-content-type-options': 'nosniff',
      'accept-ranges': 'bytes',
    });
    const known = await fetch(of(`asset/${json.id}/download`), {
      headers: { ...editor, 'If-None-Match': `"${sha('hello')}"` },
    });
    expect([known.status, known.headers.get('cache-control')]).toEqual([304, 'private, max-age=3600']);
  });

  test('a cache between callers and the gateway gives no tenant what another has', async () => {
    const { id } = (await upload(of('asset'), editor, 'of the first tenant')).json;
    const url = of(`asset/${id}/download`);
    const cache = new SharedCache();
    const [ours, theirs] = [await cache.get(url, reader), await cache.get(url, node.position(OTHER_TENANT))];
    expect(ours).toEqual({ status: 200, text: 'of the first tenant' });
    expect(theirs.status).toBe(404);
    for (const name of ['X-Customer', 'X-Product', 'X-Env', 'X-Tenant'])
      expect([name, (await cache.get(url, { ...reader, [name]: 'elsewhere' })).status]).not.toEqual([name, 200]);
    expect([await cache.get(url, reader), cache.hits]).toEqual([ours, 1]);
    const { headers } = await fetch(url, { headers: reader });
    expect(headers.get('vary')).toBe('X-Customer, X-Product, X-Env, X-Tenant');
  });

  test('comes in ranges', async () => {
    const { id, sha256 } = (await upload(of('asset'), editor, '0123456789')).json;
    const part = async (headers: Headers) => {
      const response = await fetch(of(`asset/${id}/download`), { headers: { ...reader, ...headers } });
      return [response.status, await response.text(), response.headers.get('content-range')];
    };
    expect(await part({ Range: 'bytes=2-4' })).toEqual([206, '234', 'bytes 2-4/10']);
    expect(await part({ Range: 'bytes=-1' })).toEqual([206, '9', 'bytes 9-9/10']);
    expect(await part({ Range: 'bytes=2-4', 'If-Range': `"${sha256}"` })).toEqual([206, '234', 'bytes 2-4/10']);
    expect(await part({ Range: 'bytes=2-4', 'If-Range': '"other"' })).toEqual([200, '0123456789', null]);
    expect((await part({ Range: 'bytes=10-' }))[0]).toBe(416);
    // Several ranges count as none: no answer is larger than the file.
    expect(await part({ Range: `bytes=${'0-0,'.repeat(500)}1-1` })).toEqual([200, '0123456789', null]);
  });

  test('a flood of one-byte ranges is answered byte by byte', async () => {
    const { id } = (await upload(of('asset'), editor, 'abc'.repeat(1000))).json;
    const one = async (at: number) =>
      (await fetch(of(`asset/${id}/download`), { headers: { ...reader, Range: `bytes=${at}-${at}` } })).text();
    const got = await Promise.all(Array.from({ length: 300 }, (_, at) => one(at)));
    expect(got.join('')).toBe('abc'.repeat(100));
  });

  test.each([
    ['an html page', '<!DOCTYPE html><script>alert(1)</script>', 'text/html', 'text/html'],
    ['an html page that says it is an image', ' \n<HTML><body>', 'image/png', 'text/html'],
    ['an svg', '<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>', 'image/svg+xml', 'image/svg+xml'],
    ['an svg that says it is text', '<?xml version="1.0"?>\n<svg onload="x"/>', 'text/plain', 'image/svg+xml'],
    ['bytes that say they are an image', 'no image', 'image/png', 'application/octet-stream'],
    ['a script', 'alert(1)', 'text/javascript', 'text/javascript'],
  ])('%s is offered as a download, by its true name', async (_, bytes, type, expected) => {
    const { id } = (await upload(of('asset'), editor, bytes, { type, name: 'a.png' })).json;
    const { headers } = await fetch(of(`asset/${id}/download`), { headers: reader });
    expect([
      headers.get('content-type'),
      headers.get('content-disposition'),
      headers.get('x-content-type-options'),
    ]).toEqual([expected, 'attachment; filename="a.png"', 'nosniff']);
    expect(headers.get('content-security-policy')).toBe('sandbox');
  });

  test.each([
    '../../etc/passwd',
    '..\\..\\windows\\win.ini',
    '/etc/passwd',
    'a/../../b',
    '%2e%2e%2fpasswd',
    '....//x',
    'C:\\x',
  ])('a name that climbs (%s) is a name and no place', async (name) => {
    const { status, json } = await upload(of('asset'), editor, `of ${name}`, { name });
    expect([status, json.sha256]).toEqual([201, sha(`of ${name}`)]);
    const renamed = await node.call('PATCH', `/store/media/asset/${json.id}`, editor, { name });
    expect(renamed.status).toBe(200);
    const answer = await fetch(of(`asset/${json.id}/download`), { headers: reader });
    expect(await answer.text()).toBe(`of ${name}`);
    const offered = /filename="([^"]*)"/.exec(answer.headers.get('content-disposition')!)![1]!;
    expect(offered).not.toMatch(/[/\\]/);
  });

  test('a path that climbs meets nothing', async () => {
    for (const path of ['..%2f..%2fetc', '%2e%2e', '..%5c..', '%00', '.', 'x'.repeat(3000)]) {
      expect([path, (await get(`/store/media/asset/${path}`)).status]).toEqual([path, 404]);
      expect([path, (await get(`/store/media/asset/${path}/download`)).status]).toEqual([path, 404]);
      expect([path, (await get(`/store/${path}/asset`)).status]).toEqual([path, 404]);
    }
  });

  test('an image is shown in place, and its size is known', async () => {
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAIAAAA2iEnWAAAAEUlEQVR4nGNgYGD4z8AAIkAYAA74Av/KRRtSAAAAAElFTkSuQmCC',
      'base64',
    );
    const { json } = await upload(of('asset'), editor, new Uint8Array(png), { type: 'text/html', name: 'x.png' });
    expect(json).toMatchObject({ content_type: 'image/png', width: 2, height: 3 });
    const { headers } = await fetch(of(`asset/${json.id}/download`), { headers: reader });
    expect(headers.get('content-disposition')).toBe('inline; filename="x.png"');
  });

  test('equal files lie there once, and stay while one asset needs them', async () => {
    const bytes = 'twice the same';
    const one = (await upload(of('asset'), editor, bytes)).json;
    const two = (await upload(of('asset'), editor, bytes, { name: 'b.txt' })).json;
    expect(one.sha256).toBe(two.sha256);
    const [tenant] = readdirSync(join(node.dir, 'data', 'content'));
    const kept = join(node.dir, 'data', 'content', tenant!, 'media', one.sha256.slice(0, 2));
    expect(readdirSync(kept).filter((name) => name === one.sha256)).toHaveLength(1);
    expect((await node.call('DELETE', `/store/media/asset/${one.id}`, editor)).status).toBe(200);
    expect((await get(`/store/media/asset/${one.id}`)).json.code).toBe('content.asset_not_found');
    expect(await (await fetch(of(`asset/${two.id}/download`), { headers: reader })).text()).toBe(bytes);
    expect(existsSync(join(kept, one.sha256))).toBe(true);
  });

  test('changes by fields, under If-Match', async () => {
    const { id } = (await upload(of('asset'), editor, 'x')).json;
    const patch = (body: object, headers = {}) =>
      node.call('PATCH', `/store/media/asset/${id}`, { ...editor, ...headers }, body);
    expect((await patch({ title: 'T', tags: ['a', 'a', 'b'] })).json).toMatchObject({
      title: 'T',
      tags: ['a', 'b'],
      version: 2,
    });
    expect((await patch({ title: 'U' }, { 'If-Match': '"1"' })).status).toBe(412);
    expect((await patch({ title: 'U' }, { 'If-Match': '"2"' })).json).toMatchObject({ title: 'U', version: 3 });
    expect((await patch({ sha256: sha('y') })).json).toMatchObject({ code: 'content.invalid' });
    expect((await patch({ store: 'locked' })).status).toBe(422);
    expect((await patch({ nothing: 1 })).json).toMatchObject({ code: 'content.invalid' });
    expect((await patch({ tags: 'a' })).status).toBe(422);
    expect((await patch({ folder_id: '01ARZ3NDEKTSV4RRFFQ69G5FAV' })).json).toMatchObject({
      code: 'content.folder_not_found',
    });
    expect((await node.call('PATCH', `/store/media/asset/${id}`, editor, '[]')).json).toMatchObject({
      code: 'content.bad_body',
    });
  });

  test('a new file is a new version; the earlier ones stay', async () => {
    const { id } = (await upload(of('asset'), editor, 'first')).json;
    const next = await upload(of(`asset/${id}`), editor, 'second', { method: 'PATCH', fields: { title: 'T' } });
    expect([next.status, next.json]).toMatchObject([200, { title: 'T', sha256: sha('second'), version: 2 }]);
    const { json } = await get(`/store/media/asset/${id}/versions`);
    expect(json.data.map(({ number, sha256 }: { number: number; sha256: string }) => [number, sha256])).toEqual([
      [2, sha('second')],
      [1, sha('first')],
    ]);
    const text = async (query: string) => (await fetch(of(`asset/${id}/download${query}`), { headers: reader })).text();
    expect([await text(''), await text('?version=1')]).toEqual(['second', 'first']);
    expect((await get(`/store/media/asset/${id}/download?version=7`)).status).toBe(404);
  });

  test('an upload that is none is refused, and nothing is kept of it', async () => {
    const before = (await get('/store/media/asset?limit=500')).json.count;
    const send = async (form: FormData) => {
      const response = await fetch(of('asset'), { method: 'POST', headers: editor, body: form });
      return [response.status, ((await response.json()) as { code: string }).code];
    };
    const form = (...parts: [string, string | Blob][]): FormData => {
      const made = new FormData();
      for (const [name, value] of parts) made.append(name, value);
      return made;
    };
    expect(await send(form(['title', 'x']))).toEqual([400, 'content.bad_body']);
    expect(await send(form(['file', new Blob(['a'])], ['file', new Blob(['b'])]))).toEqual([400, 'content.bad_body']);
    expect(await send(form(['picture', new Blob(['a'])]))).toEqual([400, 'content.bad_body']);
    expect(await send(form(['file', new Blob(['a'])], ['id', 'x']))).toEqual([422, 'content.invalid']);
    expect(await send(form(['file', new Blob(['a'])], ['gone', 'x']))).toEqual([422, 'content.invalid']);
    expect((await node.call('POST', '/store/media/asset', editor, {})).json).toMatchObject({
      code: 'content.bad_body',
    });
    expect((await get('/store/media/asset?limit=500')).json.count).toBe(before);
  });
});

describe('who may', () => {
  test('no caller, where a store has no rule: the production posture', async () => {
    for (const headers of [editor, reader])
      expect((await get('/store/locked/asset', headers)).json.code).toBe(
        headers === editor ? 'content.forbidden' : 'content.unauthorized',
      );
    expect((await upload(`${node.gateway}/store/locked/asset`, editor, 'x')).status).toBe(403);
  });

  test('each operation by its rule; a rule that reads the asset hides it', async () => {
    expect((await upload(of('asset'), reader, 'x')).status).toBe(401);
    expect((await upload(of('asset'), { ...reader, Authorization: 'Bearer nonsense' }, 'x')).status).toBe(401);
    const { id } = (await upload(of('asset'), editor, 'x', { fields: { tags: 'hidden', title: 'only one' } })).json;
    expect((await get(`/store/media/asset/${id}`, reader)).status).toBe(401);
    expect((await get('/store/media/asset?tag=hidden', reader)).json.data).toEqual([]);
    expect((await get('/store/media/asset?tag=hidden')).json.data).toHaveLength(1);
    expect((await node.call('DELETE', `/store/media/asset/${id}`, reader)).status).toBe(401);
  });

  test('a store that is asleep or unknown is not there, nor an asset of another store or tenant', async () => {
    expect((await get('/store/asleep/asset')).json.code).toBe('content.store_not_found');
    expect((await get('/store/..%2fmedia/asset')).json.code).toBe('content.store_not_found');
    const { id } = (await upload(of('asset'), editor, 'x')).json;
    expect((await get(`/store/media/asset/${id}/download`, node.position('acme:shop:dev:other'))).status).toBe(404);
    expect((await get('/store/media/asset/..%2f..%2fx/download')).status).toBe(404);
    expect((await get('/store/media/asset', {})).status).toBe(400);
  });

  test('no other route reaches the rows of assets: the entity has no rules of its own', async () => {
    expect((await get('/data/rest/asset')).status).toBe(403);
    expect((await get('/data/contentstore/list')).json).toMatchObject({ media: { cacheexpiry: '1h' } });
  });
});

describe('lists', () => {
  test('go on by a cursor', async () => {
    for (let i = 0; i < 5; i++) await upload(of('asset'), editor, `n${i}`, { fields: { tags: 'paged' } });
    const first = (await get('/store/media/asset?tag=paged&limit=2')).json;
    expect(first).toMatchObject({ count: 2, page: { has_next_page: true } });
    const second = (await get(`/store/media/asset?tag=paged&limit=2&after=${first.page.end_cursor}`)).json;
    const third = (await get(`/store/media/asset?tag=paged&limit=2&after=${second.page.end_cursor}`)).json;
    const ids = [...first.data, ...second.data, ...third.data].map(({ id }: { id: string }) => id);
    expect([new Set(ids).size, ids.toSorted()]).toEqual([5, ids]);
    expect(third.page.has_next_page).toBe(false);
  });

  test.each(['limit=0', 'limit=501', 'limit=x', 'after=x', 'folder_id=x', 'nothing=1', 'tag=a&tag=b'])(
    '%s is refused',
    async (query) => {
      expect((await get(`/store/media/asset?${query}`)).json.code).toBe('content.bad_query');
    },
  );
});

describe('folders and tags', () => {
  test('a tree of folders, listed whole unless pages are asked for', async () => {
    const make = async (body: object) =>
      (await node.call('POST', '/store/media/folder', editor, body)).json as { id: string; path: string };
    const a = await make({ name: 'a' });
    const b = await make({ name: 'b', parent_id: a.id });
    const c = await make({ name: 'c', parent_id: b.id });
    expect([a.path, b.path, c.path]).toEqual(['/a', '/a/b', '/a/b/c']);
    expect((await get('/store/media/folder')).json).toMatchObject({ count: 3 });
    expect((await get('/store/media/folder?limit=2')).json).toMatchObject({ count: 2, page: { has_next_page: true } });
    expect((await get(`/store/media/folder?parent_id=${a.id}`)).json.data).toEqual([b]);
    const asset = (await upload(of('asset'), editor, 'x', { fields: { folder_id: c.id } })).json;
    expect((await get(`/store/media/asset?folder_id=${c.id}`)).json.data).toEqual([asset]);
    const moved = await node.call('PATCH', `/store/media/folder/${b.id}`, editor, { name: 'z', parent_id: null });
    expect(moved.json).toMatchObject({ path: '/z', parent_id: null });
    expect((await get(`/store/media/folder/${c.id}`)).json.path).toBe('/z/c');
    expect((await node.call('PATCH', `/store/media/folder/${b.id}`, editor, { parent_id: c.id })).status).toBe(422);
    expect((await node.call('DELETE', `/store/media/folder/${c.id}`, editor)).json).toMatchObject({
      code: 'content.conflict',
    });
    expect((await node.call('DELETE', `/store/media/asset/${asset.id}`, editor)).status).toBe(200);
    expect((await node.call('DELETE', `/store/media/folder/${c.id}`, editor)).status).toBe(200);
  });

  test.each(['', '..', '.', 'a/b', 'a\\b', 'x\u0000', ' ', 7, null])('%j is no name of a folder', async (name) => {
    const answer = await node.call('POST', '/store/media/folder', editor, { name });
    expect([answer.status, answer.json]).toMatchObject([422, { code: 'content.invalid' }]);
  });

  test('tags are made, renamed, deleted, and there once', async () => {
    const made = await node.call('POST', '/store/media/tag', editor, { name: 'red' });
    const { id } = made.json as { id: string };
    expect(made.status).toBe(201);
    expect((await node.call('POST', '/store/media/tag', editor, { name: 'red' })).status).toBe(422);
    expect((await node.call('PATCH', `/store/media/tag/${id}`, editor, { name: 'blue' })).json).toMatchObject({
      name: 'blue',
    });
    expect((await get('/store/media/tag')).json).toMatchObject({ count: 1, data: [{ name: 'blue' }] });
    expect((await node.call('DELETE', `/store/media/tag/${id}`, editor)).status).toBe(200);
    expect((await get(`/store/media/tag/${id}`)).json.code).toBe('content.tag_not_found');
  });
});
