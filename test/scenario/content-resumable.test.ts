/** Uploads in several requests over HTTP to a real node, by a stock client and by hand. It proves docs/contract/content.md §5.5. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Upload } from 'tus-js-client';
import { limits } from '#config/limits.ts';
import { startMagazine } from '#test/kit/magazine.ts';
import type { Headers, TestNode } from '#test/kit/test-node.ts';
import { Wire } from '#test/runtime/door/wire.ts';

let node: TestNode;
let editor: Headers;
const MAX = 3_000_000;
const QUOTA = 5_000_000;
beforeAll(async () => {
  node = await startMagazine({ extra: `content: { assets: { bytes_max: ${MAX}, store_bytes_max: ${QUOTA} } }` });
  editor = await node.service();
});
afterAll(() => node.stop());

const TUS = { 'Tus-Resumable': '1.0.0' };
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const at = (path: string): string => `${node.gateway}${path}`;
const sha = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

async function begin(length: number, more: Headers = {}, headers = editor): Promise<Response> {
  return fetch(at('/store/media/upload'), {
    method: 'POST',
    headers: { ...headers, ...TUS, 'Upload-Length': String(length), ...more },
  });
}

async function begun(length: number, more: Headers = {}): Promise<string> {
  const answer = await begin(length, more);
  expect([answer.status, await answer.text()]).toEqual([201, '']);
  return answer.headers.get('location')!;
}

function append(path: string, offset: number, bytes: Uint8Array<ArrayBuffer>, more: Headers = {}, headers = editor) {
  const type = { 'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': String(offset) };
  return fetch(at(path), { method: 'PATCH', headers: { ...headers, ...TUS, ...type, ...more }, body: bytes });
}

const head = (path: string, headers = editor) => fetch(at(path), { method: 'HEAD', headers: { ...headers, ...TUS } });
const codeOf = async (answer: Response): Promise<unknown> => ((await answer.json()) as { code: unknown }).code;
const remove = (path: string) => fetch(at(path), { method: 'DELETE', headers: { ...editor, ...TUS } });

/** Bytes that no other test has. */
let seed = 0;
function bytesOf(length: number): Buffer<ArrayBuffer> {
  const bytes = Buffer.from(new ArrayBuffer(length));
  let state = ++seed;
  for (let i = 0; i < length; i++) bytes[i] = (state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) >>> 16;
  return bytes;
}

test('a stock client sends a file in pieces, with its fields, and gets an asset', async () => {
  const bytes = bytesOf(500_000);
  let location = '';
  await new Promise<void>((resolve, reject) => {
    const upload = new Upload(bytes, {
      endpoint: at('/store/media/upload'),
      headers: editor,
      chunkSize: 120_000,
      metadata: { filename: 'Sommer ä.bin', filetype: 'application/x-thing', title: 'A', tags: 'x, y', credit: '12' },
      onAfterResponse: (_request, answer) => {
        location = answer.getHeader('Content-Location') ?? location;
      },
      onError: reject,
      onSuccess: () => resolve(),
    });
    upload.start();
  });
  const { status, json } = await node.call('GET', location, editor);
  expect([status, json]).toMatchObject([
    200,
    {
      name: 'Sommer ä.bin',
      content_type: 'application/x-thing',
      size: bytes.length,
      sha256: sha(bytes),
      title: 'A',
      tags: ['x', 'y'],
    },
  ]);
  const file = await fetch(at(`${location}/download`), { headers: editor });
  expect(Buffer.from(await file.arrayBuffer()).equals(bytes)).toBe(true);
});

test('HEAD says how far it is, bytes go on there, and the last ones make the asset once', async () => {
  const bytes = bytesOf(5000);
  const path = await begun(bytes.length, { 'Upload-Metadata': `filename ${base64('a.bin')},title` });
  const first = await append(path, 0, bytes.subarray(0, 2000));
  expect([first.status, first.headers.get('upload-offset'), first.headers.get('tus-resumable')]).toEqual([
    204,
    '2000',
    '1.0.0',
  ]);
  const seen = await head(path);
  expect([
    seen.status,
    seen.headers.get('upload-offset'),
    seen.headers.get('upload-length'),
    seen.headers.get('cache-control'),
  ]).toEqual([200, '2000', '5000', 'no-store']);
  expect(Date.parse(seen.headers.get('upload-expires')!)).toBeGreaterThan(
    Date.now() + limits.content.uploadMs - 60_000,
  );
  const state = await node.call('GET', path, editor);
  expect(state.json).toMatchObject({ offset: 2000, length: 5000, asset_id: null });
  const wrong = await append(path, 1000, bytes.subarray(1000));
  expect([wrong.status, wrong.headers.get('upload-offset'), await codeOf(wrong)]).toEqual([
    409,
    '2000',
    'content.upload_offset',
  ]);
  const last = await append(path, 2000, bytes.subarray(2000));
  expect([last.status, last.headers.get('upload-offset')]).toEqual([204, '5000']);
  const asset = last.headers.get('content-location')!;
  expect((await node.call('GET', asset, editor)).json).toMatchObject({ name: 'a.bin', sha256: sha(bytes), title: '' });
  const again = await head(path);
  expect([again.headers.get('upload-offset'), again.headers.get('content-location')]).toEqual(['5000', asset]);
  const { json } = await node.call('GET', '/store/media/asset?name=a.bin', editor);
  expect((json as { count: number }).count).toBe(1);
  expect([
    (await remove(path)).status,
    (await head(path)).status,
    (await node.call('GET', asset, editor)).status,
  ]).toEqual([204, 404, 200]);
});

test('an empty file is an asset at once', async () => {
  const answer = await begin(0, { 'Upload-Metadata': `filename ${base64('empty.txt')}` });
  const asset = await node.call('GET', answer.headers.get('content-location')!, editor);
  expect([answer.status, asset.json]).toMatchObject([201, { name: 'empty.txt', size: 0 }]);
});

test('what had come of a caller that left stays, and another request takes it on', async () => {
  const bytes = bytesOf(4000);
  const path = await begun(bytes.length);
  const wire = await Wire.open(Number(new URL(node.gateway).port));
  const fields = Object.entries({ ...editor, ...TUS }).map(([name, value]) => `${name}: ${value}\r\n`);
  wire.send(
    `PATCH ${path} HTTP/1.1\r\nHost: x\r\n${fields.join('')}Content-Type: application/offset+octet-stream\r\nUpload-Offset: 0\r\nContent-Length: 4000\r\n\r\n`,
  );
  wire.send(bytes.subarray(0, 1500));
  await expect.poll(async () => (await append(path, 1, bytes.subarray(0, 0))).status).toBe(423);
  wire.end();
  await expect.poll(async () => (await head(path)).headers.get('upload-offset')).toBe('1500');
  const rest = await append(path, 1500, bytes.subarray(1500));
  const asset = await node.call('GET', rest.headers.get('content-location')!, editor);
  expect([rest.status, asset.json]).toMatchObject([204, { sha256: sha(bytes) }]);
});

test('a checksum is compared: other bytes are dropped', async () => {
  const bytes = bytesOf(1000);
  const path = await begun(bytes.length);
  const digest = createHash('sha1').update(bytes.subarray(0, 600)).digest('base64');
  const bad = await append(path, 0, bytes.subarray(1, 601), { 'Upload-Checksum': `sha1 ${digest}` });
  expect([bad.status, await codeOf(bad), (await head(path)).headers.get('upload-offset')]).toEqual([
    460,
    'content.upload_checksum',
    '0',
  ]);
  const good = await append(path, 0, bytes.subarray(0, 600), { 'Upload-Checksum': `sha1 ${digest}` });
  expect([good.status, good.headers.get('upload-offset')]).toEqual([204, '600']);
  const unknown = await append(path, 600, bytes.subarray(600), { 'Upload-Checksum': `crc32 ${digest}` });
  expect([unknown.status, await codeOf(unknown)]).toEqual([400, 'content.upload_invalid']);
  await remove(path);
});

describe('refused is', () => {
  test.each<readonly [string, Headers, number, string]>([
    ['no length', { 'Upload-Length': 'x' }, 400, 'content.upload_invalid'],
    ['a file that is too large', { 'Upload-Length': String(MAX + 1) }, 413, 'content.too_large'],
    ['another version', { 'Tus-Resumable': '0.2.2' }, 412, 'content.upload_version'],
    ['metadata that are no base64', { 'Upload-Metadata': 'title !!' }, 400, 'content.upload_invalid'],
    ['a name twice', { 'Upload-Metadata': 'title QQ==,title QQ==' }, 400, 'content.upload_invalid'],
    ['a field of the store', { 'Upload-Metadata': `sha256 ${base64('x')}` }, 422, 'content.invalid'],
    [
      'a folder that is not there',
      { 'Upload-Metadata': `folder_id ${base64('01J00000000000000000000000')}` },
      404,
      'content.folder_not_found',
    ],
  ])('%s', async (_what, more, status, code) => {
    const answer = await begin(10, more);
    expect([answer.status, await codeOf(answer)]).toEqual([status, code]);
  });

  test('a caller that may not create an asset, and another caller’s upload', async () => {
    const stranger = await begin(10, {}, node.position());
    expect([stranger.status, await codeOf(stranger)]).toEqual([401, 'content.unauthorized']);
    const path = await begun(10);
    for (const answer of [
      await append(path, 0, bytesOf(10), {}, node.position()),
      await fetch(at(path), { headers: node.position() }),
    ])
      expect([answer.status, await codeOf(answer)]).toEqual([404, 'content.upload_not_found']);
    await remove(path);
  });

  test('another media type, and more bytes than the upload has', async () => {
    const path = await begun(10);
    const type = await append(path, 0, bytesOf(10), { 'Content-Type': 'application/octet-stream' });
    expect([type.status, await codeOf(type)]).toEqual([415, 'content.upload_type']);
    const more = await append(path, 0, bytesOf(11));
    expect([more.status, await codeOf(more)]).toEqual([400, 'content.upload_invalid']);
    await remove(path);
  });

  test('what the quota of the store has no room for, with all that is under way, plain uploads too', async () => {
    const paths = [await begun(2_000_000)];
    const answer = await begin(MAX - 1);
    expect([answer.status, await codeOf(answer)]).toEqual([507, 'content.storage_full']);
    for (const path of paths) await remove(path);
    const now = await begin(MAX - 1);
    expect(now.status).toBe(201);
    await remove(now.headers.get('location')!);
  });

  test('more uploads than one caller may have under way', async () => {
    const paths: string[] = [];
    let answer = await begin(1);
    for (; answer.status === 201; answer = await begin(1)) paths.push(answer.headers.get('location')!);
    expect([answer.status, await codeOf(answer), answer.headers.has('retry-after')]).toEqual([
      429,
      'content.too_many_uploads',
      true,
    ]);
    expect(paths).toHaveLength(limits.content.uploadsOpenOfCallerMax);
    for (const path of paths) expect((await remove(path)).status).toBe(204);
  });
});
