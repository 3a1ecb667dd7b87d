/** Content apps over HTTP: delivery, editors, locales, versions, previews. Source: docs/contract/content.md §6, §7. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mintPreview } from '#actors/content/app/preview-token.ts';
import { startMagazine } from '#test/kit/magazine.ts';
import { OTHER_TENANT, TENANT } from '#test/kit/platform-file.ts';
import type { Headers, TestNode } from '#test/kit/test-node.ts';

let node: TestNode;
let editor: Headers;
let reader: Headers;
const posts = '/content/blog/blog.post';
interface Got {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly json: any;
  readonly headers: globalThis.Headers;
}
const call = async (method: string, path: string, body?: unknown, headers: Headers = editor): Promise<Got> => {
  const { status, json, headers: got } = await node.call(method, path, headers, body);
  return { status, json, headers: got };
};
const make = async (body: object) => (await call('POST', posts, body)).json;
const seen = (path: string) => call('GET', path, undefined, reader);

beforeAll(async () => {
  node = await startMagazine();
  editor = await node.service();
  reader = node.position();
});
afterAll(() => node.stop());

describe('delivery', () => {
  test('a document is there for its readers once it is published', async () => {
    const made = await call('POST', posts, { title: 'Draft', slug: 'd' });
    expect([made.status, made.json]).toMatchObject([
      201,
      { title: 'Draft', status: 'draft', published_at: null, locale: 'en', version: 1 },
    ]);
    const { document_id: id } = made.json;
    expect(made.headers.get('location')).toBe(`${posts}/${id}`);
    expect((await seen(`${posts}/${id}`)).json.code).toBe('content.document_not_found');
    expect((await seen(`${posts}?slug=d`)).json.data).toEqual([]);
    const published = await call('PATCH', `${posts}/${id}`, { status: 'published' });
    expect(published.json).toMatchObject({ status: 'published', published_at: expect.any(String), version: 2 });
    expect((await seen(`${posts}/${id}`)).json).toEqual(published.json);
    const tagsOf = async (headers: Headers) => {
      const one = await call('GET', `${posts}/${id}`, undefined, headers);
      const list = await call('GET', posts, undefined, headers);
      return [one.headers.get('etag'), one.headers.get('cache-control'), list.headers.get('cache-control')];
    };
    expect(await tagsOf(reader)).toEqual(['"2"', 'no-cache', 'no-cache']);
    expect(await tagsOf(editor)).toEqual(['"2"', 'private, no-cache', 'private, no-cache']);
    expect([made, published].map(({ headers }) => headers.get('etag'))).toEqual(['"1"', '"2"']);
    const stale = await call('PATCH', `${posts}/${id}`, { title: 'Lost' }, { ...editor, 'If-Match': '"1"' });
    expect([stale.status, stale.json.code]).toEqual([412, 'content.precondition_failed']);
    expect((await seen(`/content/blog/post/${id}`)).status).toBe(200);
    expect((await seen(`${posts}?slug=d`)).json.data).toEqual([published.json]);
    await call('PATCH', `${posts}/${id}`, { status: 'archived' });
    expect((await seen(`${posts}/${id}`)).status).toBe(404);
  });

  test('editors see the other states; readers do not', async () => {
    const { document_id: id } = await make({ title: 'T', slug: 'states' });
    const any = await call('GET', `${posts}/${id}?status=any`);
    expect([any.status, any.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect((await call('GET', `${posts}?status=draft&slug=states`)).json.count).toBe(1);
    expect((await seen(`${posts}/${id}?status=any`)).status).toBe(401);
    expect((await seen(`${posts}?status=draft`)).status).toBe(401);
    expect((await call('GET', `${posts}?status=secret`)).json.code).toBe('content.bad_query');
  });

  test('editors read a draft by its id, and every state that a document has had; readers do not', async () => {
    const { document_id: id } = await make({ title: 'one', slug: 'states-of-one' });
    await call('PATCH', `${posts}/${id}`, { title: 'two' });
    await call('PATCH', `${posts}/${id}`, { title: 'three', status: 'published' });
    const draft = await make({ title: 'Still a draft', slug: 'drafted' });
    expect((await call('GET', `${posts}/${draft.document_id}?status=draft`)).json.title).toBe('Still a draft');
    const versions = await call('GET', `${posts}/${id}/versions`);
    expect(versions.headers.get('cache-control')).toBe('no-store');
    expect(versions.json).toMatchObject({
      data: [
        { number: 3, status: 'published', updated_at: expect.any(String) },
        { number: 2, status: 'draft' },
        { number: 1, status: 'draft' },
      ],
      count: 3,
      page: { has_next_page: false, end_cursor: '1' },
    });
    const first = (await call('GET', `${posts}/${id}/versions?limit=2`)).json;
    expect([first.count, first.page]).toEqual([2, { has_next_page: true, end_cursor: '2' }]);
    expect((await call('GET', `${posts}/${id}/versions?after=2`)).json.data).toMatchObject([{ number: 1 }]);
    const old = await call('GET', `${posts}/${id}?version=1`);
    expect([old.status, old.json.title, old.headers.get('cache-control')]).toEqual([200, 'one', 'no-store']);
    expect((await call('GET', `${posts}/${id}?version=9`)).json.code).toBe('content.document_not_found');
    expect((await call('GET', `${posts}/${id}?version=x`)).json.code).toBe('content.bad_query');
    expect((await call('GET', `${posts}/${id}/versions?x=1`)).json.code).toBe('content.bad_query');
    for (const path of [`${posts}/${id}?version=1`, `${posts}/${id}/versions`])
      expect((await seen(path)).status).toBe(401);
  });

  test('lists filter, sort and page', async () => {
    for (let stars = 1; stars <= 5; stars++)
      await make({ title: `t${stars}`, slug: 'many', stars, status: 'published' });
    const first = await seen(`${posts}?slug=many&orderby=-stars&limit=2`);
    expect(first.json.data.map((row: { stars: number }) => row.stars)).toEqual([5, 4]);
    const next = await seen(`${posts}${/<([^>]*)>/.exec(first.headers.get('link') ?? '')![1]!}`);
    expect(next.json.data.map((row: { stars: number }) => row.stars)).toEqual([3, 2]);
    expect((await seen(`${posts}?slug=many&stars[gte]=4`)).json.count).toBe(2);
    for (const query of [
      'gone=1',
      'include=x',
      'deleted=true',
      'unmask=true',
      'filter=stars=1',
      'limit=0',
      'locale=xx',
      'slug=a&slug=b',
    ])
      expect([query, (await seen(`${posts}?${query}`)).json.code]).toEqual([query, 'content.bad_query']);
    expect((await seen(`${posts}?stars=x`)).json.code).toBe('content.invalid');
    expect((await seen(`${posts}?after=nonsense`)).status).toBe(422);
  });

  test('an app, a type, a document that is not there; one of another tenant', async () => {
    expect((await seen('/content/gone/post')).json.code).toBe('content.app_not_found');
    expect((await seen('/content/blog/note')).json.code).toBe('content.type_not_found');
    expect((await seen(`${posts}/..%2f..`)).json.code).toBe('content.document_not_found');
    const { document_id: id } = await make({ title: 'T', status: 'published' });
    expect((await call('GET', `${posts}/${id}`, undefined, node.position(OTHER_TENANT))).status).toBe(404);
  });
});

describe('locales', () => {
  test('a translation, the fallback to the default locale, and what all locales share', async () => {
    const { document_id: id } = await make({ title: 'Hello', slug: 'loc', stars: 1, status: 'published' });
    const french = await call('POST', posts, { document_id: id, locale: 'fr', title: 'Bonjour' });
    expect(french.json).toMatchObject({ document_id: id, locale: 'fr', slug: 'loc', stars: 1, status: 'draft' });
    const title = async (query: string) => (await seen(`${posts}/${id}${query}`)).json.title;
    expect(await title('?locale=fr')).toBe('Hello'); // not published yet
    await call('PATCH', `${posts}/${id}?locale=fr`, { status: 'published' });
    expect([await title(''), await title('?locale=fr'), await title('?locale=de')]).toEqual([
      'Hello',
      'Bonjour',
      'Hello',
    ]);
    expect((await seen(`${posts}?slug=loc&locale=fr`)).json.data).toMatchObject([{ title: 'Bonjour', locale: 'fr' }]);
    expect((await seen(`${posts}?slug=loc&locale=de`)).json.data).toMatchObject([{ title: 'Hello', locale: 'en' }]);
    const changed = await call('PATCH', `${posts}/${id}?locale=fr`, { stars: 7, title: 'Salut' });
    expect(changed.json).toMatchObject({ stars: 7, title: 'Salut' });
    expect((await seen(`${posts}/${id}`)).json).toMatchObject({ stars: 7, title: 'Hello' });
  });

  test('what has no meaning is refused', async () => {
    const { document_id: id } = await make({ title: 'T' });
    const post = async (body: object) => {
      const { status, json } = await call('POST', posts, body);
      return [status, json.code];
    };
    expect(await post({ title: 'T', locale: 'fr' })).toEqual([422, 'content.invalid']);
    expect(await post({ title: 'T', locale: 'xx', document_id: id })).toEqual([422, 'content.invalid']);
    expect(await post({ title: 'T', locale: 'fr', document_id: '01ARZ3NDEKTSV4RRFFQ69G5FAV' })).toEqual([
      404,
      'content.document_not_found',
    ]);
    expect(await post({ title: 'T', document_id: id })).toEqual([409, 'content.conflict']);
    expect(await post({ title: 'T', status: 'secret' })).toEqual([422, 'content.invalid']);
    expect(await post({ title: 'T', published_at: '2026-01-01T00:00:00Z' })).toEqual([422, 'content.invalid']);
    expect(await post({ gone: 1 })).toEqual([422, 'content.invalid']);
    const { json } = await call('POST', posts, { gone: 1, title: 'T' });
    expect(json).toEqual({
      error: 'gone is not a field',
      code: 'content.invalid',
      details: { fields: { gone: ['is not a field'] } },
    });
    expect(await post([])).toEqual([400, 'content.bad_body']);
    expect((await call('PATCH', `${posts}/${id}`, { locale: 'fr' })).status).toBe(422);
  });

  test('deleting one translation, then the whole document', async () => {
    const { document_id: id } = await make({ title: 'T', status: 'published' });
    for (const locale of ['fr', 'de'])
      await call('POST', posts, { document_id: id, locale, title: locale, status: 'published' });
    expect((await call('DELETE', `${posts}/${id}?locale=en`)).json.code).toBe('content.conflict');
    expect((await call('DELETE', `${posts}/${id}?locale=fr`)).json).toMatchObject({ locale: 'fr' });
    expect((await seen(`${posts}/${id}?locale=fr`)).json.locale).toBe('en');
    expect((await call('DELETE', `${posts}/${id}`)).status).toBe(200);
    expect((await seen(`${posts}/${id}?locale=de`)).status).toBe(404);
  });

  test('If-Match, where one part changes and where all do', async () => {
    const { document_id: id } = await make({ title: 'T' });
    const stale = { ...editor, 'If-Match': '"9"' };
    expect((await call('PATCH', `${posts}/${id}`, { title: 'U' }, stale)).status).toBe(412);
    await call('POST', posts, { document_id: id, locale: 'fr', title: 'F' });
    expect((await call('PATCH', `${posts}/${id}`, { stars: 1 }, stale)).status).toBe(412);
    expect((await call('PATCH', `${posts}/${id}`, { stars: 1 }, { ...editor, 'If-Match': '"1"' })).status).toBe(200);
  });
});

describe('who may', () => {
  test('by the rules of the app', async () => {
    expect((await call('POST', posts, { title: 'T' }, reader)).status).toBe(401);
    const { document_id: id } = await make({ title: 'T' });
    expect((await call('PATCH', `${posts}/${id}`, { title: 'U' }, reader)).status).toBe(401);
    expect((await call('DELETE', `${posts}/${id}`, undefined, reader)).status).toBe(401);
  });

  test('by those of the type where the app has none, under the caller’s own credential; no caller where neither has any', async () => {
    const made = await call('POST', '/content/plain/note', { text: 'n', status: 'published' });
    expect(made.status).toBe(201);
    const path = `/content/plain/note/${made.json.id}`;
    expect((await call('GET', path)).json.text).toBe('n');
    expect((await seen(path)).status).toBe(403);
    expect((await call('PATCH', path, { text: 'm' })).json.text).toBe('m');
    expect((await call('DELETE', path)).json.code).toBe('content.forbidden'); // no rule: the production posture
    expect((await call('GET', `${path}?locale=en`)).json.code).toBe('content.bad_query');
  });
});

describe('previews', () => {
  const mint = async (id: string, more = {}) =>
    (await call('POST', '/content/blog/preview', { type: 'blog.post', id, ...more })).json;

  test('a token shows its one document, whatever its state, to a caller without a credential', async () => {
    const { document_id: id } = await make({ title: 'Soon' });
    const { document_id: other } = await make({ title: 'Other' });
    const minted = await call('POST', '/content/blog/preview', { type: 'post', id, expires_in: 60 });
    expect([minted.status, minted.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(minted.json).toEqual({ token: expect.any(String), expires_in: 60 });
    const { token } = minted.json;
    const shown = await seen(`${posts}/${id}?preview=${token}`);
    expect([shown.status, shown.json.title, shown.headers.get('cache-control')]).toEqual([200, 'Soon', 'no-store']);
    expect((await call('GET', `${posts}/${id}`, undefined, { ...reader, 'X-Preview-Token': token })).status).toBe(200);
    expect((await seen(`${posts}/${other}?preview=${token}`)).json.code).toBe('content.preview_token_invalid');
    expect((await call('GET', `${posts}/${id}?preview=${token}`, undefined, node.position(OTHER_TENANT))).status).toBe(
      401,
    );
  });

  test('an expired one, one of another app, tenant or secret, and nonsense show nothing', async () => {
    const { document_id: document } = await make({ title: 'Soon' });
    const claim = { tenant: TENANT, app: 'blog', type: 'blog.post', document };
    const soon = Date.now() + 60_000;
    const secret = process.env['SKEP_TEST_PREVIEW']!;
    const status = async (token: string) =>
      (await seen(`${posts}/${document}?preview=${encodeURIComponent(token)}`)).status;
    const good = await mintPreview(secret, claim, soon);
    expect(await status(good)).toBe(200);
    for (const bad of [
      await mintPreview(secret, claim, Date.now() - 1000),
      await mintPreview(secret, { ...claim, app: 'plain' }, soon),
      await mintPreview(secret, { ...claim, tenant: OTHER_TENANT }, soon),
      await mintPreview(secret, { ...claim, type: 'note' }, soon),
      await mintPreview('another secret', claim, soon),
      `${good}x`,
      `${good}.x`,
      good.split('.')[0]!,
      good.split('.').slice(0, 2).join('.'),
      good.slice(0, -86) + 'A'.repeat(86),
      '.',
      '',
      'x'.repeat(3000),
    ])
      expect([bad, await status(bad)]).toEqual([bad, 401]);
  });

  test('which callers may mint, what for, and 501 for an app without a secret', async () => {
    const { document_id: id } = await make({ title: 'T' });
    expect((await call('POST', '/content/blog/preview', { type: 'post', id }, reader)).status).toBe(401);
    expect((await mint('01ARZ3NDEKTSV4RRFFQ69G5FAV')).code).toBe('content.document_not_found');
    expect((await mint(id, { expiresin: 60 })).code).toBe('content.bad_body');
    expect((await mint(id, { expires_in: 0 })).code).toBe('content.invalid');
    expect((await mint(id, { expires_in: 1e9 })).code).toBe('content.invalid');
    expect((await call('POST', '/content/blog/preview', { id })).json.code).toBe('content.bad_body');
    const none = await call('POST', '/content/plain/preview', { type: 'note', id });
    expect([none.status, none.json.code]).toEqual([501, 'content.preview_unconfigured']);
  });
});
