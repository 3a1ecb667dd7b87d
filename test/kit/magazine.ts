/** A node that serves the magazine: a product with stores, types and apps. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PlatformWish } from './platform-file.ts';
import { startTestNode, type Headers, type TestNode } from './test-node.ts';

/** Secrets of a product come from the environment of its node. */
process.env['SKEP_TEST_PREVIEW'] ??= 'preview-secret';
process.env['SKEP_TEST_WEBHOOK'] ??= 'webhook-secret';

export const magazineDirectory = fileURLToPath(new URL('./products/magazine', import.meta.url));

export function startMagazine(wish: PlatformWish & { readonly dir?: string } = {}): Promise<TestNode> {
  return startTestNode({ localdir: magazineDirectory, ...wish });
}

/** A copy of the checkout whose blog has more lines in its app.yaml; its directory. */
export function magazineWith(dir: string, appLines: string): string {
  const copy = join(dir, 'magazine');
  cpSync(magazineDirectory, copy, { recursive: true });
  const app = join(copy, 'content', 'apps', 'blog', 'app.yaml');
  writeFileSync(app, readFileSync(app, 'utf8') + appLines);
  return copy;
}

/** A copy of the checkout whose store keeps its index in files; its directory. */
export function magazineIndexed(dir: string): string {
  const copy = magazineWith(dir, '');
  const stores = join(copy, 'content', 'stores', 'stores.yaml');
  writeFileSync(stores, readFileSync(stores, 'utf8').replace('cacheexpiry: 1h', 'cacheexpiry: 1h\n    index: fs'));
  return copy;
}

export interface UploadWish {
  readonly name?: string;
  readonly type?: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly method?: string;
}

/** Sends a file as one part of a form. */
export async function upload(
  url: string,
  headers: Headers,
  bytes: string | Uint8Array<ArrayBuffer>,
  { name = 'a.txt', type = 'text/plain', fields = {}, method = 'POST' }: UploadWish = {},
  // oxlint-disable-next-line typescript/no-explicit-any
): Promise<{ status: number; json: any; headers: globalThis.Headers }> {
  const form = new FormData();
  for (const [key, value] of Object.entries(fields)) form.set(key, value);
  form.set('file', new Blob([bytes], { type }), name);
  const response = await fetch(url, { method, headers, body: form });
  const text = await response.text();
  return { status: response.status, json: text === '' ? undefined : JSON.parse(text), headers: response.headers };
}
