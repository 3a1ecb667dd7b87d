/**
 * Products from a URL (`meta.url`): fetched when a tenant is provisioned, never by a request and never at start. The files
 * stay under the data directory, so that a node serves while the URL's host is away. Spec: docs/contract/identity.md §10.4.
 */
import { hash } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { loadProduct } from '#config/definitions/load-product.ts';
import { limits } from '#config/limits.ts';
import { renderProblems } from '#config/problem.ts';
import { syncDirectory } from '#storage/directory.ts';
import { readArchive, type ArchiveFile } from './product-archive.ts';

const NAME_CHARS = 32;

/** The directory of a product from a URL: the same one for every tenant that names the URL. */
export function productDirectory(dataDir: string, url: string): string {
  return join(dataDir, 'products', hash('sha256', url).slice(0, NAME_CHARS));
}

/** Fetches the archive and replaces the directory with it, whole or not at all, and only when the product loads. Throws with a message for operators. */
export async function fetchProduct(url: string, directory: string): Promise<void> {
  const files = await fetchFiles(url).catch((error: unknown) => {
    throw new Error(`the product at ${withoutSecrets(url)}: ${reasonOf(error)}`, { cause: error });
  });
  const fresh = `${directory}.new`;
  rmSync(fresh, { recursive: true, force: true });
  for (const file of files) writeDurably(fresh, file);
  const loaded = loadProduct(fresh);
  if ('problems' in loaded)
    throw new Error(`the product at ${withoutSecrets(url)} does not load:\n${renderProblems(loaded.problems)}`);
  const old = `${directory}.old`;
  rmSync(old, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  renameSync(directory, old);
  renameSync(fresh, directory);
  syncDirectory(dirname(directory));
  rmSync(old, { recursive: true, force: true });
}

/** Any host is allowed, since an operator chose the URL; a redirect is refused, since no operator chose its target. */
async function fetchFiles(url: string): Promise<ArchiveFile[]> {
  const signal = AbortSignal.timeout(limits.product.fetchMs);
  const response = await fetch(url, { redirect: 'error', signal });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`answered ${response.status}`);
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    // Leaving the loop cancels the body.
    if (bytes > limits.product.archiveBytesMax)
      throw new Error(`is larger than ${limits.product.archiveBytesMax} bytes`);
    chunks.push(chunk);
  }
  return readArchive(Buffer.concat(chunks));
}

/** fetch() gives the reason of a failure in its error's cause. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error;
  return cause instanceof Error && message === 'fetch failed' ? cause.message : message;
}

function withoutSecrets(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

function writeDurably(directory: string, { path, bytes }: ArchiveFile): void {
  const file = join(directory, path);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const handle = openSync(file, 'wx', 0o600);
  try {
    writeFileSync(handle, bytes);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  syncDirectory(dirname(file));
}
