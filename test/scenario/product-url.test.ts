/** A tenant whose product comes from a URL. Spec: docs/contract/identity.md §10.4 (`meta.url`). */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startNode } from '#runtime/node.ts';
import { writePlatformFile } from '#test/kit/platform-file.ts';
import { platformOf } from '#test/kit/platform-of.ts';
import { call, positionHeaders, type Headers } from '#test/kit/test-node.ts';

const REMOTE = 'acme:shop:dev:remote';
const shop = fileURLToPath(new URL('../kit/products/shop/', import.meta.url));
const dir = mkdtempSync(join(tmpdir(), 'skep-url-'));
/** What the URL gives; null for a 404. */
let archive: Buffer | null = null;
let fetched = 0;
const server = createServer((_request, response) => {
  fetched++;
  response.writeHead(archive === null ? 404 : 200).end(archive ?? 'not found');
});
beforeAll(async () => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => {
  server.close();
  rmSync(dir, { recursive: true, force: true });
});

/** The shop as an archive, changed as said. */
function shopWith(change: (checkout: string) => void): Buffer {
  const at = mkdtempSync(join(dir, 'checkout-'));
  cpSync(shop, join(at, 'shop'), { recursive: true });
  change(join(at, 'shop'));
  execFileSync('tar', ['-C', at, '-czf', join(at, 'out.tgz'), 'shop']);
  return readFileSync(join(at, 'out.tgz'));
}

test(
  'is fetched when it is provisioned, serves while the URL is away, and follows a new archive',
  { timeout: 60_000 },
  async () => {
    const { port } = server.address() as AddressInfo;
    const file = writePlatformFile(dir);
    const text = readFileSync(file, 'utf8');
    const entry = `    - key: ${REMOTE}\n      meta: { url: "http://127.0.0.1:${port}/shop.tgz" }\n`;
    writeFileSync(
      file,
      text.replace('hives:\n  tenant:\n', (head) => head + entry),
    );
    const platform = platformOf(file);
    let node = await startNode(platform);
    const read = async (): Promise<number> => {
      const here: Headers = positionHeaders(REMOTE);
      const headers = { ...here, 'X-Api-Key': 'shop-static-secret' };
      return (await call(node.listeners['gateway']!, 'GET', '/data/rest/item', headers)).status;
    };
    // The first request registers it, and fetches nothing.
    expect(await read()).toBe(403);
    await expect.poll(() => node.tenants().find(({ position }) => position.key === REMOTE)?.state).toBe('registered');
    expect(fetched).toBe(0);

    await expect(node.provision(REMOTE)).rejects.toThrow('shop.tgz: answered 404');
    archive = Buffer.from('no archive'.repeat(100));
    await expect(node.provision(REMOTE)).rejects.toThrow('this is no tar archive');
    archive = shopWith((checkout) => writeFileSync(join(checkout, 'product.yaml'), 'nonsense: 1\n'));
    await expect(node.provision(REMOTE)).rejects.toThrow('does not load');
    archive = shopWith(() => undefined);
    expect((await node.provision(REMOTE)).state).toBe('active');
    expect(await read()).toBe(200);

    archive = shopWith((checkout) => writeFileSync(join(checkout, 'entities', 'broken.yaml'), 'entities: ['));
    await expect(node.provision(REMOTE)).rejects.toThrow('does not load');
    expect(await read()).toBe(200);

    archive = null;
    await node.stop();
    node = await startNode(platform);
    expect(await read()).toBe(200);
    archive = shopWith((checkout) => writeFileSync(join(checkout, 'product.yaml'), 'name: shop\n'));
    expect((await node.provision(REMOTE)).state).toBe('active');
    // The new product has no static key.
    expect(await read()).toBe(401);
    await node.stop();
  },
);
