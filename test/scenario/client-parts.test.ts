/** Parts of `@skep/client` against a real node: bulk, files, content, forms and the BFF; stateflows on the help desk are in client.test.ts. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bff, bulk, content, createClient, files, isSkepError, submitForm } from '#client/index.ts';
import type { AnySchema, Asset, Client, ClientOptions } from '#client/index.ts';
import { startBff, type BffNode } from '#test/kit/bff-node.ts';
import { TENANT } from '#test/kit/platform-file.ts';

const BFF = {
  city: `
name: city
path: /city/{id}
auth: public
calls:
  one: { url: UPSTREAM/one, query: { place: "{{path.id}}", lang: "{{query.lang}}" } }
  two: { url: GONE/two, on_error: default, default: { text: none } }
`,
  fatal: 'name: fatal\npath: /fatal\nauth: public\ncalls: { one: { url: GONE/one } }\n',
};

let it: BffNode;
let skep: Client<AnySchema>;
/** A caller without a credential. */
let visitor: Client<AnySchema>;

const of = (more: Partial<ClientOptions> = {}): Client<AnySchema> =>
  createClient({ url: it.gateway, position: TENANT as 'a:b:c:d', retry: { firstMs: 1 }, ...more } as ClientOptions);

beforeAll(async () => {
  it = await startBff(BFF);
  const { Authorization: bearer } = await it.service();
  skep = of({ token: bearer!.replace('Bearer ', '') });
  visitor = of();
}, 60_000);
afterAll(() => it.stop());

/** Bytes of which no two pieces are alike. */
function bytesOf(length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  for (let at = 0, state = 1; at < length; at++) bytes[at] = (state = (state * 1103515245 + 12345) & 0x7fffffff) >> 16;
  return bytes;
}

const sha256 = async (blob: Blob): Promise<string> =>
  Buffer.from(await crypto.subtle.digest('SHA-256', await blob.arrayBuffer())).toString('hex');

test('rows are imported, checked, refused by their numbers, and exported one by one or as a file', async () => {
  const many = bulk(skep);
  const rows = Array.from({ length: 30 }, (_, n) => ({ name: `bulk ${String(n).padStart(2, '0')}`, price: n }));
  const dry = await many.importRows('item', rows, { dryRun: true });
  expect([dry.imported, dry.isWhole]).toEqual([30, true]);
  expect(await skep.from('item').list()).toEqual([]);
  expect(await many.importRows('item', rows, { chunk: 7 })).toEqual({
    imported: 30,
    skipped: 0,
    errors: [],
    omitted: 0,
    isWhole: true,
  });
  const csv = new Blob(['name,price\nfrom csv,1.5\n,2\nlast,3\n']);
  const ended = await many.importRows('item', csv, { format: 'csv' });
  expect([ended.isWhole, ended.imported, ended.errors.map(({ row, line, code }) => [row, line, code])]).toEqual([
    false,
    0,
    [[2, 3, 'v2.create_failed']],
  ]);
  const skipping = await many.importRows('item', csv, { format: 'csv', skipErrors: true });
  expect([skipping.isWhole, skipping.imported, skipping.errors.length]).toEqual([true, 2, 1]);
  const names: unknown[] = [];
  for await (const row of many.exportRows('item', { orderBy: '-name', limit: 3, fields: ['name', 'price'] }))
    names.push(row);
  expect(names).toEqual([
    { name: 'last', price: 3 },
    { name: 'from csv', price: 1.5 },
    { name: 'bulk 29', price: 29 },
  ]);
  const one = await many.exportFile('item', 'csv', { where: { name: 'from csv' }, fields: ['name', 'price'] });
  expect([one.type, (await one.text()).trim().split(/\r?\n/)]).toEqual([
    'text/csv;charset=utf-8',
    ['name,price', 'from csv,1.5'],
  ]);
  await expect(many.importRows('item', '{', {})).rejects.toMatchObject({ status: 400, code: 'v2.bad_format' });
  await expect(bulk(visitor).importRows('item', rows)).rejects.toMatchObject({ status: 401 });
  await expect(many.exportRows('nothing').next()).rejects.toMatchObject({ code: 'v2.entity_not_found' });
});

test('a file is stored in pieces with its fields, told of as it goes, read, signed and deleted', async () => {
  const media = files(skep, 'media');
  const file = new File([bytesOf(250_000)], 'täglich.bin', { type: 'application/x-daily' });
  const told: number[] = [];
  const made = await media.upload(file, {
    pieceBytes: 100_000,
    fields: { title: '42', alt: 'ein Ä', tags: ['daily'] },
    onProgress: (bytes, total) => told.push(bytes, total),
  });
  expect(told).toEqual([0, 250_000, 100_000, 250_000, 200_000, 250_000, 250_000, 250_000]);
  expect(made).toMatchObject({
    name: 'täglich.bin',
    content_type: 'application/x-daily',
    size: 250_000,
    sha256: await sha256(file),
    title: '42',
    alt: 'ein Ä',
    tags: ['daily'],
  });
  const seen: (number | null)[] = [];
  const read = await media.download(made.id, { onProgress: (bytes, total) => seen.push(bytes, total) });
  expect([await sha256(read), seen.at(-2), seen.at(-1)]).toEqual([made.sha256, 250_000, 250_000]);
  const { url } = await media.sign(made.id, { expiresIn: 60 });
  expect(await sha256(await (await fetch(url)).blob())).toBe(made.sha256);
  const changed = await media.update(made.id, { title: 'renamed' }, { version: made.version });
  expect(changed.title).toBe('renamed');
  await expect(media.update(made.id, { title: 'late' }, { version: made.version })).rejects.toMatchObject({
    code: 'content.precondition_failed',
  });
  const empty = await media.upload(new Blob([]), { name: 'empty' });
  expect([empty.size, empty.name]).toEqual([0, 'empty']);
  const first = await media.list({ limit: 1 });
  const second = await media.list({ limit: 1, after: first.next! });
  expect([first, second].flatMap(({ assets }) => assets.map(({ id }) => id)).sort()).toEqual(
    [made.id, empty.id].sort(),
  );
  expect((await media.list({ tag: 'daily', folder: null })).assets.map(({ id }) => id)).toEqual([made.id]);
  await media.delete(made.id);
  await expect(media.get(made.id)).rejects.toMatchObject({ status: 404, code: 'content.asset_not_found' });
  await expect(files(visitor, 'media').upload(file)).rejects.toMatchObject({ code: 'content.unauthorized' });
});

test('an upload whose connection breaks off, or whose answers are lost, goes on and makes one asset', async () => {
  let patches = 0;
  const breaking: typeof fetch = async (input, init) => {
    if (init?.method !== 'PATCH') return fetch(input, init);
    const n = ++patches % 3;
    if (n === 1) throw new TypeError('the connection broke off');
    const response = await fetch(input, init);
    if (n === 2) return response;
    await response.text();
    throw new TypeError('the answer is lost');
  };
  const { Authorization: bearer } = await it.service();
  const media = files(of({ token: bearer!.replace('Bearer ', ''), fetch: breaking }), 'media');
  const file = new Blob([bytesOf(90_000)], { type: 'application/x-cut' });
  const made = await media.upload(file, { name: 'cut', pieceBytes: 20_000 });
  expect([made.size, made.sha256]).toEqual([90_000, await sha256(file)]);
  expect(patches).toBeGreaterThan(5);
  expect((await media.list({ name: 'cut' })).assets.map(({ id }) => id)).toEqual([made.id]);
});

test('an upload that a page left is gone on with by another, and not with another file', async () => {
  const media = files(skep, 'media');
  const file = new Blob([bytesOf(60_000)]);
  const leaving = new AbortController();
  let upload = '';
  const first = media.upload(file, {
    name: 'left',
    pieceBytes: 20_000,
    signal: leaving.signal,
    onStart: (id) => (upload = id),
    onProgress: (bytes) => bytes === 20_000 && leaving.abort(new Error('the page is left')),
  });
  await expect(first).rejects.toThrow('the page is left');
  await expect(media.upload(new Blob(['other']), { resume: upload })).rejects.toThrow('is of a file of 60000 bytes');
  const told: number[] = [];
  const made: Asset = await media.upload(file, { resume: upload, onProgress: (bytes) => told.push(bytes) });
  expect([made.name, made.sha256, told[0]]).toEqual(['left', await sha256(file), 20_000]);
  await expect(media.upload(file, { resume: 'unknown' })).rejects.toMatchObject({ code: 'content.upload_not_found' });
});

test('documents are written, translated, previewed and paged', async () => {
  const blog = content(skep, 'blog');
  const draft = await blog.create('post', { title: 'A draft', stars: 3 });
  await expect(content(visitor, 'blog').get('post', draft.id)).rejects.toMatchObject({
    status: 404,
    code: 'content.document_not_found',
  });
  const { token } = await blog.preview('post', draft.id, { expiresIn: 60 });
  expect((await content(visitor, 'blog').get('post', draft.id, { preview: token }))['title']).toBe('A draft');
  const version = draft['version'] as number;
  await blog.update('post', draft.id, { status: 'published' }, { version });
  await expect(blog.update('post', draft.id, { stars: 1 }, { version })).rejects.toMatchObject({ status: 412 });
  await blog.create('post', { title: 'Ein Entwurf', document_id: draft.id, locale: 'de', status: 'published' });
  expect((await content(visitor, 'blog').get('post', draft.id, { locale: 'de' }))['title']).toBe('Ein Entwurf');
  for (const title of ['B', 'C']) await blog.create('post', { title, stars: 5, status: 'published' });
  const titles: unknown[] = [];
  for await (const { title } of content(visitor, 'blog').each('post', { orderBy: '-title', limit: 2 }))
    titles.push(title);
  expect(titles).toEqual(['C', 'B', 'A draft']);
  const page = await content(visitor, 'blog').page('post', { where: { 'stars[gte]': 4 }, orderBy: 'title' });
  expect([page.documents.map(({ title }) => title), page.next]).toEqual([['B', 'C'], null]);
  await blog.delete('post', draft.id);
  await expect(blog.get('post', draft.id)).rejects.toMatchObject({ status: 404 });
  await expect(content(visitor, 'blog').create('post', { title: 'x' })).rejects.toMatchObject({
    code: 'content.unauthorized',
  });
});

test('a form is submitted once, also when its answer is lost, and says what is wrong with each field', async () => {
  const good = { name: 'Ada', email: 'ada@example.org' };
  const ids: string[] = [];
  const losing: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    const { id } = (await response.json()) as { id: string };
    if (ids.push(id) === 1) throw new TypeError('the answer is lost');
    return Response.json({ id, received_at: 'x' });
  };
  const { id } = await submitForm(of({ fetch: losing }), 'contact', good);
  expect(ids).toEqual([id, id]);
  const first = await submitForm(visitor, 'contact', good, { key: 'visit-1' });
  expect((await submitForm(visitor, 'contact', good, { key: 'visit-1' })).id).toBe(first.id);
  const form = new FormData();
  for (const [name, value] of Object.entries(good)) form.set(name, value);
  expect((await submitForm(visitor, 'contact', form)).id).not.toBe(first.id);
  const error: unknown = await submitForm(visitor, 'contact', { email: 'ada' }).catch((thrown: unknown) => thrown);
  if (!isSkepError(error, 'intake.validation')) throw error;
  expect(Object.keys(error.details.fields).sort()).toEqual(['email', 'name']);
  await expect(submitForm(visitor, 'nothing', good)).rejects.toMatchObject({ code: 'intake.unknown_form' });
});

test('an endpoint of the BFF has its parameters, and says what it went without', async () => {
  it.upstream.answer = (_, response) => void response.end('{"text":"sun"}');
  const { data, degraded } = await bff(visitor, 'GET', 'city/{id}', { params: { id: 'a/b ?' }, query: { lang: 'de' } });
  expect(data).toMatchObject({ data: { one: { text: 'sun' }, two: { text: 'none' } } });
  expect(degraded).toEqual(['two']);
  const [called] = it.upstream.received;
  expect(new URLSearchParams(called!.path.split('?')[1]).get('place')).toBe('a/b ?');
  const error: unknown = await bff(visitor, 'GET', 'fatal').catch((thrown: unknown) => thrown);
  if (!isSkepError(error, 'bff.upstream_failed')) throw error;
  expect([error.status, error.details['call']]).toEqual([502, 'one']);
  await expect(bff(visitor, 'GET', 'nothing')).rejects.toMatchObject({ code: 'bff.endpoint_not_found' });
});
