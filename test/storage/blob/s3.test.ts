/** The S3 blob store against a server that checks signatures. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { S3Blobs } from '#storage/blob/s3.ts';
import { S3_KEYS, startS3, type S3Server } from '#test/kit/s3-server.ts';
import { blobCases } from './blob.cases.ts';

const spool = mkdtempSync(join(tmpdir(), 'skep-s3-'));
let server: S3Server;
let no = 0;
beforeAll(async () => {
  server = await startS3();
});
afterAll(async () => {
  await server.stop();
  rmSync(spool, { recursive: true, force: true });
});

const blobs = (secretKey = S3_KEYS.secret, bucket = 'media'): S3Blobs =>
  new S3Blobs({
    endpoint: `http://127.0.0.1:${server.port}/${bucket}`,
    region: 'us-east-1',
    accessKey: S3_KEYS.access,
    secretKey,
    prefix: `acme/atlas/dev/t${no++}/media/`,
    spool,
  });

blobCases('an S3 store', () => blobs());

test('every request was signed, nothing stays in the spool, no bucket was made', () => {
  expect(server.refused).toEqual([]);
  expect(existsSync(spool) ? readdirSync(spool) : []).toEqual([]);
});

test('a large file goes in parts', async () => {
  const store = blobs();
  const upload = await store.begin();
  const piece = Buffer.alloc(1024 * 1024, 'x');
  for (let i = 0; i < 33; i++) await upload.write(piece);
  const { sha256, size } = await upload.seal();
  await upload.publish();
  expect(await store.size(sha256)).toBe(size);
  const read: Uint8Array[] = [];
  for await (const bytes of store.read(sha256, size - 3, size)) read.push(bytes);
  expect(Buffer.concat(read).toString()).toBe('xxx');
});

test.each([
  ['a wrong key', () => blobs('wrong')],
  ['a bucket that is not there', () => blobs(S3_KEYS.secret, 'gone')],
])('%s is reported, and nothing is made', async (_, make) => {
  const before = server.objects.size;
  const upload = await make().begin();
  await upload.write(Buffer.from('x'));
  await upload.seal();
  await expect(upload.publish()).rejects.toThrow('the S3 store');
  await upload.drop();
  expect(server.objects.size).toBe(before);
});

/** A server that gives one answer to everything. */
async function answering(body: string): Promise<S3Blobs> {
  const other = createServer((_request, response) => void response.end(body));
  await new Promise<void>((resolve) => void other.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    other.close();
    other.closeAllConnections();
  });
  const endpoint = `http://127.0.0.1:${(other.address() as AddressInfo).port}/media`;
  return new S3Blobs({ endpoint, region: 'r', accessKey: 'a', secretKey: 's', prefix: 'p/', spool });
}

const listOf = (inside: string): string => `<ListBucketResult>${inside}</ListBucketResult>`;

test.each([
  [
    'a page that names itself as the next one',
    '<NextContinuationToken>t</NextContinuationToken><IsTruncated>true</IsTruncated>',
    'names itself as the next one',
  ],
  ['a size that is none', '<Contents><Key>p/a</Key><Size>-1</Size></Contents>', 'is no size'],
])('%s in a list is a failure of the store', async (_what, object, message) => {
  await expect((await answering(listOf(object))).bytes()).rejects.toThrow(message);
});
