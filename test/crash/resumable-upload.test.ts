/** kill -9 while a stock client uploads: it goes on where it was, and there is one asset with all bytes. Source: docs/contract/content.md §5.5. */
import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { Upload } from 'tus-js-client';
import { startNode } from '#runtime/node.ts';
import { magazineDirectory } from '#test/kit/magazine.ts';
import { TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { platformOf } from '#test/kit/platform-of.ts';
import { startProcess, type ProcessNode } from '#test/kit/process-node.ts';
import { call, positionHeaders } from '#test/kit/test-node.ts';
import { freePort } from '#test/kit/free-port.ts';

const dir = mkdtempSync(join(tmpdir(), 'skep-resumable-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const BYTES = 6_000_000;
const CHUNK = 150_000;
const KILLS = 3;
const ENV = { SKEP_TEST_PREVIEW: 'preview-secret', SKEP_TEST_WEBHOOK: 'webhook-secret' };

test('an upload outlives kill -9, again and again', { timeout: 180_000 }, async () => {
  const product = join(dir, 'product');
  cpSync(magazineDirectory, product, { recursive: true });
  const stores = join(product, 'content', 'stores', 'stores.yaml');
  writeFileSync(stores, readFileSync(stores, 'utf8').replace('principal.type == "service"', 'true'));
  const port = await freePort();
  const file = writePlatformFile(dir, { localdir: product });
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replace('gateway: { bind: 127.0.0.1:0', `gateway: { bind: 127.0.0.1:${port}`),
  );
  const gateway = `http://127.0.0.1:${port}`;
  const position = positionHeaders(TENANT);
  Object.assign(process.env, ENV);
  const first = await startNode(platformOf(file));
  await first.provision(TENANT);
  await first.stop();
  let node: ProcessNode = await startProcess(file, ENV);

  const bytes = Buffer.alloc(BYTES);
  for (let i = 0, state = 7; i < BYTES; i++)
    bytes[i] = (state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) >>> 16;
  let kills = 0;
  let restarting: Promise<void> = Promise.resolve();
  const kill = (): void => {
    kills++;
    restarting = node.end('SIGKILL').then(async () => {
      node = await startProcess(file, ENV);
    });
  };
  let asset = '';
  const retried: number[] = [];
  await new Promise<void>((resolve, reject) => {
    const upload = new Upload(bytes, {
      endpoint: `${gateway}/store/media/upload`,
      headers: position,
      chunkSize: CHUNK,
      retryDelays: Array.from({ length: 200 }, () => 300),
      metadata: { filename: 'long.bin' },
      onProgress: (sent) => {
        if (kills < KILLS && sent > ((kills + 1) * BYTES) / (KILLS + 1)) kill();
      },
      onShouldRetry: (_error, attempt) => {
        retried.push(attempt);
        return true;
      },
      onAfterResponse: (_request, answer) => {
        asset = answer.getHeader('Content-Location') ?? asset;
      },
      onError: reject,
      onSuccess: () => resolve(),
    });
    upload.start();
  });
  await restarting;
  expect([kills, retried.length >= KILLS]).toEqual([KILLS, true]);
  const { json } = await call(gateway, 'GET', '/store/media/asset?name=long.bin', position);
  expect(json).toMatchObject({
    count: 1,
    data: [{ size: BYTES, sha256: createHash('sha256').update(bytes).digest('hex') }],
  });
  expect(asset).toBe(`/store/media/asset/${(json as { data: { id: string }[] }).data[0]!.id}`);
  expect(await node.end('SIGTERM')).toBe(0);
});
