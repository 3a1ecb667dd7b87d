/** `Idempotency-Key` on content's changing routes (docs/contract/common.md §4.3): a retry gets the first answer and writes nothing. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startMagazine, upload } from '#test/kit/magazine.ts';
import type { Headers, TestNode } from '#test/kit/test-node.ts';

const STORE = '/store/media';
const POSTS = '/content/blog/post';

let node: TestNode;
let editor: Headers;
beforeAll(async () => {
  node = await startMagazine();
  editor = await node.service();
});
afterAll(() => node.stop());

const keyed = (key: string, headers: Headers = editor): Headers => ({ ...headers, 'Idempotency-Key': key });
const listed = async (path: string): Promise<number> =>
  ((await node.call('GET', path, editor)).json as { count: number }).count;
const send = (key: string, method: string, path: string, body?: unknown) => node.call(method, path, keyed(key), body);
const idOf = (answer: { json: unknown }): string => (answer.json as { id: string }).id;

describe('a retry', () => {
  test('of an upload stores nothing again, and says that it is a replay', async () => {
    const url = `${node.gateway}${STORE}/asset`;
    const before = await listed(`${STORE}/asset`);
    const first = await upload(url, keyed('up-1'), 'abc', { fields: { title: 'A' } });
    const second = await upload(url, keyed('up-1'), 'abc', { fields: { title: 'A' } });
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.json).toEqual(first.json);
    expect(second.headers.get('location')).toBe(first.headers.get('location'));
    expect([first, second].map(({ headers }) => headers.get('idempotency-replayed'))).toEqual([null, 'true']);
    expect(await listed(`${STORE}/asset`)).toBe(before + 1);
    const other = await upload(url, keyed('up-1'), 'abd', { fields: { title: 'A' } });
    expect(other).toMatchObject({ status: 422, json: { code: 'content.idempotency_key_reused' } });
  });

  test('of every change of documents, folders, tags and assets', async () => {
    const asset = await upload(`${node.gateway}${STORE}/asset`, editor, 'x');
    const folder = idOf(await send('f-1', 'POST', `${STORE}/folder`, { name: 'once' }));
    const tag = idOf(await send('t-1', 'POST', `${STORE}/tag`, { name: 'once' }));
    const post = idOf(await send('p-1', 'POST', POSTS, { title: 'Once', status: 'published' }));
    const changes = [
      ['POST', `${STORE}/folder`, { name: 'twice' }],
      ['PATCH', `${STORE}/folder/${folder}`, { name: 'renamed' }],
      ['DELETE', `${STORE}/folder/${folder}`],
      ['POST', `${STORE}/tag`, { name: 'twice' }],
      ['PATCH', `${STORE}/tag/${tag}`, { name: 'renamed' }],
      ['DELETE', `${STORE}/tag/${tag}`],
      ['PATCH', `${STORE}/asset/${asset.json.id}`, { title: 'B' }],
      ['DELETE', `${STORE}/asset/${asset.json.id}`],
      ['POST', POSTS, { title: 'Twice' }],
      ['PATCH', `${POSTS}/${post}`, { title: 'Changed' }],
      ['DELETE', `${POSTS}/${post}`],
    ] as const;
    for (const [method, path, body] of changes) {
      const first = await send('same', method, path, body);
      const second = await send('same', method, path, body);
      expect([method, path, first.status < 300]).toEqual([method, path, true]);
      expect([second.status, second.text]).toEqual([first.status, first.text]);
      expect(second.headers.get('idempotency-replayed')).toBe('true');
    }
    expect(await listed(`${STORE}/folder`)).toBe(1);
    expect(await listed(`${POSTS}?status=any`)).toBe(1);
  });

  test('while the first is on its way is refused, and one row is written', async () => {
    const before = await listed(`${POSTS}?status=any`);
    const both = await Promise.all([1, 2, 3].map(() => send('race', 'POST', POSTS, { title: 'Race' })));
    const [won, ...lost] = both.toSorted((a, b) => a.status - b.status);
    expect(won!.status).toBe(201);
    for (const one of lost)
      if (one.status === 201) expect(one.text).toBe(won!.text);
      else expect(one).toMatchObject({ status: 409, json: { code: 'content.idempotency_key_in_use' } });
    expect(await listed(`${POSTS}?status=any`)).toBe(before + 1);
  });

  test('after a refusal may succeed', async () => {
    expect(await send('again', 'POST', POSTS, { nonsense: true })).toMatchObject({ status: 422 });
    expect(await send('again', 'POST', POSTS, { title: 'Better' })).toMatchObject({ status: 201 });
  });
});

test('a malformed key, and a key of another caller', async () => {
  expect(await send('two words', 'POST', POSTS, { title: 'K' })).toMatchObject({
    status: 400,
    json: { code: 'content.idempotency_key_invalid' },
  });
  const mine = await send('whose', 'POST', POSTS, { title: 'Mine' });
  const anonymous = await node.call('POST', POSTS, keyed('whose', node.position()), { title: 'Mine' });
  expect([mine.status, anonymous.status]).toEqual([201, 401]);
});

test('a preview token is never kept', async () => {
  const id = idOf(await send('for-preview', 'POST', POSTS, { title: 'P' }));
  const [first, second] = await Promise.all(
    [1, 2].map(() => send('token', 'POST', '/content/blog/preview', { type: 'post', id, expires_in: 60 })),
  );
  expect([first!.status, second!.status]).toEqual([200, 200]);
  expect(second!.headers.get('idempotency-replayed')).toBeNull();
});
