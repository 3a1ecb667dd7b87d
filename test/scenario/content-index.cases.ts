/** What a store's index must do, whichever it is (docs/contract/content.md §3.1: `index`). */
import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { upload, type UploadWish } from '#test/kit/magazine.ts';
import type { Headers, TestNode } from '#test/kit/test-node.ts';

const sha = (bytes: string): string => createHash('sha256').update(bytes).digest('hex');
const ABSENT = '01ARZ3NDEKTSV4RRFFQ69G5FAV';

export function indexCases(name: string, start: () => Promise<TestNode>): void {
  describe(name, () => {
    let node: TestNode;
    let editor: Headers;
    let reader: Headers;
    beforeAll(async () => {
      node = await start();
      editor = await node.service();
      reader = node.position();
    });
    afterAll(() => node.stop());

    const of = (path: string): string => `${node.gateway}/store/media/${path}`;
    const put = (bytes: string, wish: UploadWish = {}, headers: Headers = {}) =>
      upload(of('asset'), { ...editor, ...headers }, bytes, wish);
    // oxlint-disable-next-line typescript/no-explicit-any
    type Answer = { status: number; json: any; headers: globalThis.Headers };
    const call = (method: string, path: string, body?: object, headers: Headers = {}) =>
      node.call(method, `/store/media/${path}`, { ...editor, ...headers }, body) as Promise<Answer>;
    const get = async (path: string, headers: Headers = editor) =>
      (await node.call('GET', `/store/media/${path}`, headers)) as Answer;
    const text = async (path: string) => (await fetch(of(path), { headers: reader })).text();
    const ids = (answer: Answer): string[] => answer.json.data.map(({ id }: { id: string }) => id);

    test('an asset is stored, described, listed, downloaded', async () => {
      const made = await put('hello', { name: 'h.txt', fields: { title: 'A', tags: 'x, y', credit: '12' } });
      const { json } = made;
      expect([made.status, made.headers.get('location')]).toEqual([201, `/store/media/asset/${json.id}`]);
      expect(
        Object.entries(json).map(([key, value]) => [key, key.endsWith('_at') || key === 'id' ? '' : value]),
      ).toEqual([
        ['id', ''],
        ['store', 'media'],
        ['folder_id', null],
        ['name', 'h.txt'],
        ['content_type', 'text/plain'],
        ['size', 5],
        ['sha256', sha('hello')],
        ['width', null],
        ['height', null],
        ['title', 'A'],
        ['alt', null],
        ['tags', ['x', 'y']],
        ['locale', null],
        ['credit', '12'],
        ['created_at', ''],
        ['updated_at', ''],
        ['version', 1],
      ]);
      expect((await get(`asset/${json.id}`)).json).toEqual(json);
      expect((await get('asset?tag=x&name=h.txt')).json).toEqual({
        data: [json],
        count: 1,
        page: { has_next_page: false, end_cursor: json.id },
      });
      expect(await text(`asset/${json.id}/download`)).toBe('hello');
      expect((await get(`asset/${ABSENT}`)).json.code).toBe('content.asset_not_found');
    });

    test('lists by equality, by tag, by folder, in pages in the order of their ids', async () => {
      const folder = (await call('POST', 'folder', { name: 'paged' })).json.id as string;
      const made: string[] = [];
      for (let i = 0; i < 7; i++) {
        const type = i % 2 === 0 ? 'text/plain' : 'application/json';
        const fields = { tags: i % 3 === 0 ? 'third' : 'other', folder_id: folder, locale: i < 5 ? 'en' : 'de' };
        made.push((await put(`{"n":${i}}`, { name: `${i}.txt`, type, fields })).json.id);
      }
      const at = (...places: number[]): string[] => places.map((place) => made[place]!);
      const inFolder = (more: string) => get(`asset?folder_id=${folder}${more}`);
      expect(ids(await inFolder(''))).toEqual(made);
      expect(ids(await inFolder('&content_type=application/json'))).toEqual(at(1, 3, 5));
      expect(ids(await inFolder('&locale=de'))).toEqual(at(5, 6));
      expect(ids(await inFolder('&tag=third'))).toEqual(at(0, 3, 6));
      expect(ids(await inFolder('&name=4.txt&locale=en'))).toEqual(at(4));
      expect(ids(await get('asset?folder_id=null&limit=500')).filter((id) => made.includes(id))).toEqual([]);
      const pages: string[][] = [];
      for (let after = '', more = true; more;) {
        const { json } = await inFolder(`&limit=3&after=${after}`);
        pages.push(json.data.map(({ id }: { id: string }) => id));
        after = json.page.end_cursor;
        more = json.page.has_next_page;
      }
      expect(pages).toEqual([at(0, 1, 2), at(3, 4, 5), at(6)]);
      const refused = ['orderby=name', 'skip=1', 'name=a&name=b', 'limit=0', 'after=x', 'folder_id=x', 'size[gt]=1'];
      for (const query of refused)
        expect([query, (await get(`asset?${query}`)).json.code]).toEqual([query, 'content.bad_query']);
    });

    test('fields change under If-Match; what does not pass is refused and changes nothing', async () => {
      const { id } = (await put('x')).json;
      const patch = (body: object, headers: Headers = {}) => call('PATCH', `asset/${id}`, body, headers);
      expect((await patch({ title: 'T', tags: ['a', 'a'] })).json).toMatchObject({
        title: 'T',
        tags: ['a'],
        version: 2,
      });
      expect((await patch({ title: 'T' })).json).toMatchObject({ version: 2 });
      expect((await patch({ title: 'U' }, { 'If-Match': '"1"' })).json).toMatchObject({
        code: 'content.precondition_failed',
      });
      expect((await patch({ title: 'U' }, { 'If-Match': '"1", "2"' })).json).toMatchObject({ title: 'U', version: 3 });
      expect((await patch({ title: null }, { 'If-Match': '*' })).json).toMatchObject({ title: null, version: 4 });
      const refused: [object, string][] = [
        [{ sha256: sha('y') }, 'content.invalid'],
        [{ store: 'locked' }, 'content.invalid'],
        [{ version: 9 }, 'content.invalid'],
        [{ nothing: 1 }, 'content.invalid'],
        [{ credit: 'c'.repeat(101) }, 'content.invalid'],
        [{ name: null }, 'content.invalid'],
        [{ title: 7 }, 'content.invalid'],
        [{ tags: 'a' }, 'content.invalid'],
        [{ folder_id: ABSENT }, 'content.folder_not_found'],
      ];
      for (const [body, code] of refused) expect([body, (await patch(body)).json.code]).toEqual([body, code]);
      expect((await patch({ credit: 'c'.repeat(101) })).json).toMatchObject({
        error: 'credit must have at most 100 characters',
        details: { fields: { credit: ['must have at most 100 characters'] } },
      });
      expect((await put('y', { fields: { gone: 'x' } })).json).toMatchObject({
        code: 'content.invalid',
        details: { fields: { gone: ['is not a field'] } },
      });
      expect((await get(`asset/${id}`)).json).toMatchObject({ title: null, tags: ['a'], folder_id: null, version: 4 });
      const next = await upload(of(`asset/${id}`), { ...editor, 'If-Match': '"3"' }, 'z', { method: 'PATCH' });
      expect(next.status).toBe(412);
    });

    test('a new file is a new version, and the earlier ones stay', async () => {
      const { id } = (await put('first')).json;
      const again = (bytes: string) =>
        upload(of(`asset/${id}`), editor, bytes, { method: 'PATCH', fields: { title: bytes } });
      expect((await again('second')).json).toMatchObject({ title: 'second', sha256: sha('second'), version: 2 });
      expect((await call('PATCH', `asset/${id}`, { alt: 'no file' })).json.version).toBe(3);
      expect((await again('third')).json.version).toBe(4);
      const { data, count } = (await get(`asset/${id}/versions`)).json;
      expect(data.map((one: { number: number; sha256: string }) => [one.number, one.sha256])).toEqual([
        [4, sha('third')],
        [2, sha('second')],
        [1, sha('first')],
      ]);
      expect([count, Object.keys(data[0])]).toEqual([
        3,
        ['number', 'name', 'content_type', 'size', 'sha256', 'created_at'],
      ]);
      expect([await text(`asset/${id}/download`), await text(`asset/${id}/download?version=1`)]).toEqual([
        'third',
        'first',
      ]);
      expect((await get(`asset/${id}/download?version=3`)).json.code).toBe('content.asset_not_found');
    });

    test('the same file again is no new version, and another one after it is the next', async () => {
      const { id } = (await put('same', { name: 's.txt' })).json;
      const again = async (bytes: string) => {
        const { status, json } = await upload(of(`asset/${id}`), editor, bytes, { name: 's.txt', method: 'PATCH' });
        return [status, json.version];
      };
      expect([await again('same'), await again('same'), await again('new')]).toEqual([
        [200, 1],
        [200, 1],
        [200, 2],
      ]);
      expect((await get(`asset/${id}/versions`)).json.count).toBe(2);
    });

    test('a deleted asset is gone, under If-Match too', async () => {
      const { json } = await put('bye');
      expect((await call('DELETE', `asset/${json.id}`, undefined, { 'If-Match': '"7"' })).status).toBe(412);
      const gone = await call('DELETE', `asset/${json.id}`, undefined, { 'If-Match': '"1"' });
      expect([gone.status, gone.json]).toEqual([200, json]);
      expect((await get(`asset/${json.id}`)).status).toBe(404);
      expect((await get(`asset/${json.id}/download`)).status).toBe(404);
      expect((await call('DELETE', `asset/${json.id}`)).status).toBe(404);
      expect(ids(await get('asset?limit=500'))).not.toContain(json.id);
    });

    test('a folder is kept while an asset lies in it, and an asset moves between folders', async () => {
      const folder = (await call('POST', 'folder', { name: 'kept' })).json.id as string;
      const { id } = (await put('in it', { fields: { folder_id: folder } })).json;
      expect((await call('DELETE', `folder/${folder}`)).json.code).toBe('content.conflict');
      expect((await call('PATCH', `asset/${id}`, { folder_id: null })).json.folder_id).toBe(null);
      expect((await call('DELETE', `folder/${folder}`)).status).toBe(200);
      expect((await put('late', { fields: { folder_id: folder } })).json.code).toBe('content.folder_not_found');
    });

    test('a folder is deleted while assets are put into it: no asset lies in none', async () => {
      for (let round = 0; round < 5; round++) {
        const folder = (await call('POST', 'folder', { name: `raced${round}` })).json.id as string;
        const puts = Array.from({ length: 4 }, (_, n) => put(`r${round}${n}`, { fields: { folder_id: folder } }));
        const ended = call('DELETE', `folder/${folder}`);
        const made = (await Promise.all(puts)).filter(({ status }) => status === 201);
        const isGone = (await ended).status === 200;
        expect([isGone, made.length > 0]).not.toEqual([true, true]);
        expect((await get(`folder/${folder}`)).status).toBe(isGone ? 404 : 200);
      }
    });

    test('each operation by its rule; one that reads the asset hides it', async () => {
      expect((await upload(of('asset'), reader, 'x')).status).toBe(401);
      const { id } = (await put('x', { fields: { tags: 'hidden' } })).json;
      expect((await get(`asset/${id}`, reader)).status).toBe(401);
      expect((await get('asset?tag=hidden', reader)).json.data).toEqual([]);
      expect(ids(await get('asset?tag=hidden'))).toEqual([id]);
      expect((await node.call('PATCH', `/store/media/asset/${id}`, reader, { title: 'x' })).status).toBe(401);
      expect((await node.call('DELETE', `/store/media/asset/${id}`, reader)).status).toBe(401);
      expect((await get(`asset/${id}/download`, node.position('acme:shop:dev:other'))).status).toBe(404);
    });

    test('Idempotency-Key: a retry gets the first answer, and nothing is written again', async () => {
      const key = { 'Idempotency-Key': randomUUID() };
      const [one, two] = [await put('once', {}, key), await put('once', {}, key)];
      expect([one.status, two.status, two.json, two.headers.get('idempotency-replayed')]).toEqual([
        201,
        201,
        one.json,
        'true',
      ]);
      expect((await put('other', {}, key)).json.code).toBe('content.idempotency_key_reused');
      const patchKey = { 'Idempotency-Key': randomUUID() };
      const patch = () => call('PATCH', `asset/${one.json.id}`, { title: 'P' }, patchKey);
      expect([(await patch()).json, (await patch()).json].map(({ version }) => version)).toEqual([2, 2]);
      const goneKey = { 'Idempotency-Key': randomUUID() };
      const gone = () => call('DELETE', `asset/${one.json.id}`, undefined, goneKey);
      expect([(await gone()).status, (await gone()).status]).toEqual([200, 200]);
    });

    test('changes of one asset at the same time: each is there, and under one If-Match only one', async () => {
      const { id } = (await put('busy')).json;
      const change = (n: number, headers: Headers = {}) => call('PATCH', `asset/${id}`, { title: `t${n}` }, headers);
      const all = await Promise.all(Array.from({ length: 8 }, (_, n) => change(n)));
      expect(all.map(({ json }) => json.version).toSorted((a: number, b: number) => a - b)).toEqual([
        2, 3, 4, 5, 6, 7, 8, 9,
      ]);
      const held = await Promise.all(Array.from({ length: 8 }, (_, n) => change(n + 10, { 'If-Match': '"9"' })));
      expect(held.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(held.filter(({ status }) => status === 412)).toHaveLength(7);
    });
  });
}
