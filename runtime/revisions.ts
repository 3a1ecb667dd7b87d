/**
 * The revisions of products that this node's tenants serve: canonical archives under the data directory, each found by its SHA-256, so
 * that tenants of one product share the bytes. The digest that a tenant serves is stored among its own rows (actors/engine/schema/store.ts).
 */
import { nextTurn } from '#actors/host/pace/next-turn.ts';
import { hash, randomUUID } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { loadProduct } from '#config/definitions/load-product.ts';
import type { ContentSource } from '#config/definitions/content/load-content.ts';
import type { ProductDefinition } from '#config/definitions/product.ts';
import { limits } from '#config/limits.ts';
import { renderProblems } from '#config/problem.ts';
import { DirectoryBlobs } from '#storage/blob/directory.ts';
import type { BlobStore } from '#storage/blob/port.ts';
import { readArchive } from './product-archive.ts';
import { WEB } from './web/list-web.ts';

/** The product that a tenant serves, and why it is less than was declared; null where it is complete. */
export interface ServedProduct {
  readonly product: ProductDefinition;
  readonly problem: string | null;
}

/** The folder of the data directory in which archives are unpacked; a start clears it. */
export const LOADING = 'revisions.loading';

type Env = Readonly<Record<string, string | undefined>>;

/** Served in place of a product whose `product.yaml` cannot be read. */
export const NAMELESS: ProductDefinition = { name: 'unknown', entities: {}, settings: {} };

export class Revisions {
  readonly #loading: string;
  readonly blobs: BlobStore;

  /** Revisions are unpacked under `loading`, a place of the data directory unless another is given. */
  constructor(dataDir: string, loading = join(dataDir, LOADING)) {
    this.blobs = new DirectoryBlobs(join(dataDir, 'revisions'));
    this.#loading = loading;
  }

  /** Keeps an archive, durable when it resolves, and gives its digest. An archive that is already kept is touched, so that no sweep removes it. */
  async keep(archive: Buffer): Promise<string> {
    const upload = await this.blobs.begin();
    try {
      await upload.write(archive);
      const { sha256 } = await upload.seal();
      await upload.publish();
      return sha256;
    } catch (error) {
      await upload.drop();
      throw error;
    }
  }

  /** The archive of a revision. Throws, with a message for operators, where it is missing or does not match its digest. */
  async read(revision: string): Promise<Buffer> {
    const size = await this.blobs.size(revision);
    if (size === null) throw new Error(`revision ${revision} of the product is not in the data directory`);
    const pieces: Uint8Array[] = [];
    for await (const piece of this.blobs.read(revision, 0, size)) pieces.push(piece);
    const archive = Buffer.concat(pieces);
    if (hash('sha256', archive) !== revision)
      throw new Error(`revision ${revision} of the product is damaged: its bytes have another digest`);
    return archive;
  }

  /** The product of a revision. Paths in it and in its problem are those of `localdir`, the checkout that it was read from. */
  async load(revision: string, localdir: string, content: ContentSource, env?: Env): Promise<ServedProduct> {
    const directory = join(this.#loading, randomUUID());
    try {
      for (const { path, bytes } of readArchive(await this.read(revision))) {
        if (path.startsWith(`${WEB}/`)) continue; // no definition: the door serves it out of the archive
        mkdirSync(dirname(join(directory, path)), { recursive: true, mode: 0o700 });
        writeFileSync(join(directory, path), bytes, { mode: 0o600 });
      }
      const source = contentIn(directory, localdir, content);
      const loaded = loadProduct(directory, { content: source, ...(env === undefined ? {} : { env }) });
      if (!('problems' in loaded)) return { product: placed(loaded.product, directory, localdir), problem: null };
      const problem = renderProblems(loaded.problems).replaceAll(directory, localdir);
      return { product: loaded.bare ?? NAMELESS, problem };
    } catch (error) {
      return { product: NAMELESS, problem: (error as Error).message };
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  }

  /** Removes the unpacked files that a crash left; to be called before any thread loads. */
  clearLoading(): void {
    rmSync(this.#loading, { recursive: true, force: true });
  }

  /** Removes revisions that no tenant serves and that were not kept lately (`limits.product.unusedMs`); gives how many. */
  sweep(used: ReadonlySet<string>, now: number): Promise<number> {
    return this.blobs.sweep(now - limits.product.unusedMs, (revision) => used.has(revision), nextTurn);
  }
}

/** Where content is to be loaded from: a content folder was archived with its checkout, while content in the platform file belongs to the node. */
export function contentIn(directory: string, localdir: string, content: ContentSource): ContentSource {
  if (content.type === 'inline') return content;
  const buckets = (content.buckets ?? []).map((one) =>
    one.checkout === localdir ? { ...one, checkout: directory } : one,
  );
  return { type: 'meta', buckets };
}

/** A copy of a value in which every text that begins with `from` begins with `to` instead. */
export function placed<T>(value: T, from: string, to: string): T {
  if (typeof value === 'string') return (value.startsWith(from) ? to + value.slice(from.length) : value) as T;
  if (Array.isArray(value)) return value.map((one: unknown) => placed(one, from, to)) as T;
  if (typeof value !== 'object' || value === null) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) return value;
  const entries = Object.entries(value).map(([key, one]: [string, unknown]) => [key, placed(one, from, to)] as const);
  return Object.fromEntries(entries) as T;
}
