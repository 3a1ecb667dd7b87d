/** Signed URLs of assets over HTTP to a real node: docs/contract/content.md §5.3. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startMagazine, upload } from '#test/kit/magazine.ts';
import type { Answer, Headers, TestNode } from '#test/kit/test-node.ts';

let node: TestNode;
let editor: Headers;
beforeAll(async () => {
  node = await startMagazine();
  editor = await node.service();
});
afterAll(() => node.stop());

const of = (path: string): string => `${node.gateway}/store/media/${path}`;
const get = (url: string, init: RequestInit = {}): Promise<Response> => fetch(node.gateway + url, init);
const ask = (id: string, body: unknown = {}, headers = editor): Promise<Answer> =>
  node.call('POST', `/store/media/asset/${id}/sign`, headers, body);

async function asset(text: string, type = 'text/plain', name = 'a.txt'): Promise<string> {
  return (await upload(of('asset'), editor, text, { type, name })).json.id as string;
}

async function sign(id: string, body: object = {}): Promise<string> {
  const answer = await ask(id, body);
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  return (answer.json as { url: string }).url;
}

async function codeAt(url: string): Promise<[number, string]> {
  const response = await get(url);
  return [response.status, ((await response.json()) as { code: string }).code];
}

test('gives the bytes without a header, as it was wished, and a range of them', async () => {
  const id = await asset('0123456789');
  const response = await get(await sign(id, { disposition: 'inline' }));
  expect([response.status, await response.text()]).toEqual([200, '0123456789']);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'text/plain',
    'content-disposition': 'inline; filename="a.txt"',
    'cache-control': 'private, no-cache',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'content-security-policy': 'sandbox',
  });
  expect(response.headers.has('vary')).toBe(false);
  const url = await sign(id);
  const part = await get(url, { headers: { Range: 'bytes=2-4' } });
  expect([part.status, await part.text(), part.headers.get('content-disposition')]).toEqual([
    206,
    '234',
    'attachment; filename="a.txt"',
  ]);
  const known = await get(url, { headers: { 'If-None-Match': part.headers.get('etag')! } });
  expect(known.status).toBe(304);
  expect((await get(url, { method: 'HEAD' })).headers.get('content-length')).toBe('10');
  expect((await get(url, { headers: { Range: 'bytes=10-' } })).status).toBe(416);
});

test('is of one state of the asset: a new file, a new name or none ends it, an earlier version that is named stays', async () => {
  const [replaced, renamed, deleted] = [await asset('one'), await asset('one'), await asset('one')];
  const [ofReplaced, ofRenamed, ofDeleted] = [await sign(replaced), await sign(renamed), await sign(deleted)];
  const first = await sign(replaced, { version: 1 });
  expect((await upload(of(`asset/${replaced}`), editor, 'two', { method: 'PATCH' })).status).toBe(200);
  expect((await node.call('PATCH', `/store/media/asset/${renamed}`, editor, { name: 'b.txt' })).status).toBe(200);
  expect((await node.call('DELETE', `/store/media/asset/${deleted}`, editor)).status).toBe(200);
  for (const url of [ofReplaced, ofRenamed, ofDeleted])
    expect(await codeAt(url)).toEqual([410, 'content.signed_url_over']);
  const response = await get(first);
  expect([response.status, await response.text()]).toEqual([200, 'one']);
});

test('is refused where it was changed, or is of another service', async () => {
  const [id, other] = [await asset('mine'), await asset('other')];
  const url = await sign(id);
  for (const changed of [
    url.replace(id, other),
    url.replace('/media/', '/inbox/'),
    url.replace('part=', 'part=1'),
    url.replace('disposition=attachment', 'disposition=inline'),
    url.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
    `${url}&version=1`,
    url.slice(0, url.indexOf('&')),
  ])
    expect([changed, ...(await codeAt(changed))]).toEqual([changed, 403, 'content.signed_url_invalid']);
});

test('is not made of what the caller may not download, and only as the body says', async () => {
  const id = await asset('<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml', 'a.svg');
  for (const [body, status, code] of [
    [{ disposition: 'inline' }, 422, 'content.invalid'],
    [{ disposition: 'elsewhere' }, 400, 'content.bad_body'],
    [{ expires_in: 604_801 }, 400, 'content.bad_body'],
    [{ version: 0 }, 400, 'content.bad_body'],
    [{ version: 9 }, 404, 'content.asset_not_found'],
    [{ field: 'x' }, 400, 'content.bad_body'],
    ['no JSON', 400, 'content.bad_body'],
  ] as const) {
    const { status: got, json } = await ask(id, body);
    expect([body, got, json]).toMatchObject([body, status, { code }]);
  }
  expect((await ask(id, {}, node.position())).status).toBe(401);
  expect((await ask('01ARZ3NDEKTSV4RRFFQ69G5FAV')).status).toBe(404);
});
