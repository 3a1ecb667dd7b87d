/** A node whose product has a BFF over the magazine's content, the shop's rows, and an upstream of the test's own. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PlatformWish } from './platform-file.ts';
import { startTestNode, type TestNode } from './test-node.ts';
import { startReceiver, type Receiver } from './webhook-receiver.ts';

process.env['SKEP_TEST_PREVIEW'] ??= 'preview-secret';
process.env['SKEP_TEST_WEBHOOK'] ??= 'webhook-secret';
process.env['SKEP_TEST_UPSTREAM_KEY'] ??= 'upstream-key';

const products = fileURLToPath(new URL('./products/', import.meta.url));

export interface BffNode extends TestNode {
  readonly upstream: Receiver;
  /** Another upstream, on a port of its own. */
  readonly other: Receiver;
}

/** `files` are the product's `bff/<name>.yaml`; `UPSTREAM`, `OTHER` and `GONE` in them stand for origins: the last one has no server. */
export async function startBff(
  files: Readonly<Record<string, string>>,
  wish: Pick<PlatformWish, 'tenant' | 'extra'> = {},
): Promise<BffNode> {
  const dir = mkdtempSync(join(tmpdir(), 'skep-bff-'));
  const [upstream, other, gone] = await Promise.all([startReceiver(), startReceiver(), startReceiver()]);
  await gone.stop();
  const ports = { UPSTREAM: upstream.port, OTHER: other.port, GONE: gone.port };
  const localdir = join(dir, 'product');
  cpSync(join(products, 'magazine'), localdir, { recursive: true });
  cpSync(join(products, 'shop', 'entities'), join(localdir, 'entities'), { recursive: true });
  writeFileSync(
    join(localdir, 'product.yaml'),
    'name: shop\noutbound: { hosts: [127.0.0.1, localhost, "::1", "2130706433.nip.example", metadata.example] }\n',
  );
  mkdirSync(join(localdir, 'bff'));
  for (const [name, text] of Object.entries(files)) {
    const placed = text.replaceAll(
      /\b(UPSTREAM|OTHER|GONE)\b/g,
      (word) => `http://127.0.0.1:${ports[word as keyof typeof ports]}`,
    );
    writeFileSync(join(localdir, 'bff', `${name}.yaml`), placed);
  }
  const allowed = Object.values(ports).map((port) => `"127.0.0.1:${port}"`);
  const stopUpstreams = () => Promise.all([upstream.stop(), other.stop()]);
  const node = await startTestNode({
    ...wish,
    localdir,
    dir,
    extra: `outbound: { allow_private: [${allowed.join(', ')}] }\n${wish.extra ?? ''}`,
  }).catch(async (error: unknown) => {
    await stopUpstreams();
    throw error;
  });
  return {
    ...node,
    upstream,
    other,
    stop: async () => {
      await node.stop();
      await stopUpstreams();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
