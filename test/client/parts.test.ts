/** What parts of the client send, where a node cannot show it: what is left out, what is sent once, when an upload gives up. */
import { expect, test } from 'vitest';
import { bff, bulk, createClient, files, submitForm } from '#client/index.ts';
import { linesIn } from '#client/lines.ts';
import { fakeNode, FAST, HERE, inTurn, type FakeNode } from './fake-node.ts';

const of = ({ fetch }: FakeNode) => createClient({ ...HERE, token: 't', retry: FAST, fetch });
const BUSY = [503, { error: 'busy', code: 'v2.busy' }] as const;

test('a form is sent without credential and position, under one key', async () => {
  const node = inTurn(BUSY, [200, { id: '1', received_at: 'now' }]);
  expect(await submitForm(of(node), 'a b', { name: 'Ada' })).toEqual({ id: '1', receivedAt: 'now' });
  for (const { path, headers } of node.sent) {
    expect(path).toBe('/f/a%20b');
    expect([...headers.keys()].sort()).toEqual(['content-type', 'idempotency-key']);
  }
  expect(new Set(node.sent.map(({ headers }) => headers.get('idempotency-key'))).size).toBe(1);
});

test('a write of the BFF is sent once, unless it has a key; a read is sent again', async () => {
  const once = inTurn(BUSY, [200, {}]);
  await expect(bff(of(once), 'POST', 'start', { body: {} })).rejects.toMatchObject({ status: 503 });
  expect(once.sent.map(({ headers }) => headers.get('idempotency-key'))).toEqual([null]);
  const keyed = inTurn(BUSY, [200, {}, { 'x-degraded': 'a, b' }]);
  expect((await bff(of(keyed), 'POST', 'start', { body: {}, key: 'mine' })).degraded).toEqual(['a', 'b']);
  expect(keyed.sent.map(({ headers }) => headers.get('idempotency-key'))).toEqual(['mine', 'mine']);
  const read = inTurn(BUSY, [200, {}]);
  expect(await bff(of(read), 'GET', 'start')).toEqual({ data: {}, degraded: [] });
  await expect(bff(of(read), 'GET', 'city/{id}', { params: { place: 'x' } as never })).rejects.toThrow(
    'needs the parameter id',
  );
});

test('an export refuses a condition without a value', async () => {
  const node = fakeNode(() => [200, '']);
  const where = { owner: undefined } as never;
  await expect(bulk(of(node)).exportRows('note', { where }).next()).rejects.toThrow('owner is undefined');
  expect(node.sent).toEqual([]);
});

const streamOf = (pieces: readonly Uint8Array<ArrayBuffer>[], end: (stream: ReadableStreamDefaultController) => void) =>
  new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(stream) {
      for (const piece of pieces) stream.enqueue(piece);
      end(stream);
    },
  });

test('lines are whole wherever the body is cut, also within a character', async () => {
  const bytes = new TextEncoder().encode('{"a":"ä€😀"}\n\n{"b":1}');
  for (let at = 0; at <= bytes.length; at++) {
    const lines: string[] = [];
    for await (const line of linesIn(streamOf([bytes.slice(0, at), bytes.slice(at)], (stream) => stream.close())))
      lines.push(line);
    expect(lines).toEqual(['{"a":"ä€😀"}', '{"b":1}']);
  }
});

test('a body that breaks off is an error, not an end', async () => {
  const body = new ReadableStream<Uint8Array>({
    pull(stream) {
      if (cut) return stream.error(new TypeError('terminated'));
      cut = true;
      stream.enqueue(new TextEncoder().encode('1\n2'));
    },
  });
  let cut = false;
  const lines = linesIn(body);
  expect((await lines.next()).value).toBe('1');
  await expect(lines.next()).rejects.toMatchObject({ code: 'client.network' });
});

/** Answers of a store: the state of the one upload, and what becomes of its pieces. */
const store = (state: object, piece: () => ReturnType<Parameters<typeof fakeNode>[0]>) =>
  fakeNode(({ method }) => {
    if (method === 'POST') return [201, undefined, { location: '/store/media/upload/u1' }];
    return method === 'GET' ? [200, state] : piece();
  });

test('an upload that is refused ends at once', async () => {
  const file = new Blob(['12345']);
  const state = { offset: 0, length: 5, asset_id: null };
  const full = store(state, () => [507, { error: 'full', code: 'content.storage_full' }]);
  await expect(files(of(full), 'media').upload(file)).rejects.toMatchObject({ code: 'content.storage_full' });
  expect(full.sent.map(({ method }) => method)).toEqual(['POST', 'GET', 'PATCH']);
  expect(full.sent[2]!.headers.get('idempotency-key')).toBe(null);
});

test('an upload that never gets on ends after some tries, and so does one of which no asset is made', async () => {
  const node = store({ offset: 5, length: 5, asset_id: null }, () => [204]);
  await expect(files(of(node), 'media').upload(new Blob(['12345']))).rejects.toMatchObject({
    code: 'client.unexpected',
  });
  const cut = store({ offset: 0, length: 5, asset_id: null }, () => new TypeError('cut'));
  await expect(files(of(cut), 'media').upload(new Blob(['12345']))).rejects.toMatchObject({ code: 'client.network' });
  expect(cut.sent.filter(({ method }) => method === 'PATCH')).toHaveLength(6);
});
