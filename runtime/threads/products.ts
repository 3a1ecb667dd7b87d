/** Product definitions by revision, read once per thread however many tenants share them. */
import { limits } from '#config/limits.ts';
import type { FreshProduct, JobEnd, Jobs, LoadedProduct, TakenProduct } from '#actors/kit/jobs.ts';
import { Busy } from '#actors/protocol/busy.ts';
import type { ContentSource } from '#config/definitions/content/load-content.ts';
import { loadProduct } from '#config/definitions/load-product.ts';
import type { ProductDefinition } from '#config/definitions/product.ts';
import { renderProblems } from '#config/problem.ts';
import type { BlobStore } from '#storage/blob/port.ts';
import { NAMELESS, placed, Revisions, type ServedProduct } from '#runtime/revisions.ts';

/** The product of every plane, without entities. */
const PLANE: ProductDefinition = { name: 'plane', entities: {}, settings: {} };

/** For how long tenants of a directory without kept revisions, as older versions wrote them, share one reading of their checkout. */
const ONE_READING_MS = 10_000;

export class Products {
  readonly #content: ContentSource;
  readonly #dataDir: string;
  readonly #revisions: Revisions;
  /** By revision and checkout, since a product contains the paths of its checkout; the last used one is at the end. */
  readonly #loaded = new Map<string, ProductDefinition>();
  readonly #loading = new Map<string, Promise<ServedProduct>>();
  /** By revision, read before a tenant's checkout is known: paths begin with the revision, to be replaced by the checkout later. */
  readonly #warm = new Map<string, ProductDefinition>();
  readonly #readings = new Map<string, Promise<LoadedProduct>>();

  constructor(content: ContentSource, dataDir: string) {
    this.#content = content;
    this.#dataDir = dataDir;
    this.#revisions = new Revisions(dataDir);
  }

  get dataDir(): string {
    return this.#dataDir;
  }

  get blobs(): BlobStore {
    return this.#revisions.blobs;
  }

  /** The product of a checkout as it is now; throws with every problem's file, line and column. */
  of(localdir: string | null): ProductDefinition {
    if (localdir === null) return PLANE;
    const result = loadProduct(localdir, { content: this.#content });
    if ('problems' in result)
      throw new Error(`the product in ${localdir} does not load:\n${renderProblems(result.problems)}`);
    return result.product;
  }

  /** The product of a kept revision, independent of what the checkout contains now. */
  async kept(revision: string, localdir: string): Promise<ServedProduct> {
    const key = keyOf(revision, localdir);
    const present = this.#loaded.get(key) ?? this.#warmed(revision, localdir);
    if (present !== undefined) {
      this.#hold(key, present);
      return { product: present, problem: null };
    }
    const under = this.#loading.get(key);
    if (under !== undefined) return under;
    const loading = this.#revisions.load(revision, localdir, this.#content);
    this.#loading.set(key, loading);
    const served = await loading.finally(() => this.#loading.delete(key));
    if (served.problem === null) this.#hold(key, served.product);
    return served;
  }

  #warmed(revision: string, localdir: string): ProductDefinition | undefined {
    const product = this.#warm.get(revision);
    return product === undefined ? undefined : placed(product, revision, localdir);
  }

  /** Keeps a product in memory; past `loadedProductsMax` the one with which no tenant has woken for the longest time goes. */
  #hold(key: string, product: ProductDefinition): void {
    this.#loaded.delete(key);
    this.#loaded.set(key, product);
    const [oldest] = this.#loaded.keys();
    if (this.#loaded.size > limits.host.loadedProductsMax) this.#loaded.delete(oldest!);
  }

  /** The part of a checkout that can be served without a kept revision: all of it where it loads, else its name and settings. */
  unkept(localdir: string | null): ServedProduct {
    if (localdir === null) return { product: PLANE, problem: null };
    const result = loadProduct(localdir, { content: this.#content });
    if (!('problems' in result)) return { product: result.product, problem: null };
    return { product: result.bare ?? NAMELESS, problem: renderProblems(result.problems) };
  }

  /** Reads the checkout as it is now and keeps it as a revision. A job does that, since hundreds of files are too much for a turn. Throws Busy where no job thread is free. */
  async fresh(localdir: string | null, jobs: Jobs): Promise<LoadedProduct> {
    if (localdir === null) return { product: PLANE, revision: null };
    const end = await this.#readBy(localdir, jobs, this.#dataDir);
    if (end.kind === 'done') return end.result;
    if (end.kind === 'busy') throw new Busy('no thread is free to read the definitions');
    return { problems: `the product in ${localdir} could not be read: its thread ended (${end.why})` };
  }

  /** The same for tenants of a directory without kept revisions: one reading is shared for `ONE_READING_MS`. */
  first(localdir: string, jobs: Jobs): Promise<LoadedProduct> {
    const present = this.#readings.get(localdir);
    if (present !== undefined) return present;
    const reading = this.fresh(localdir, jobs);
    this.#readings.set(localdir, reading);
    const over = (): void => void this.#readings.delete(localdir);
    reading.then(() => setTimeout(over, ONE_READING_MS).unref(), over);
    return reading;
  }

  /** The product of a kept revision, read by a job where this thread does not have it. Throws Busy where no job thread is free. */
  async keptBy(revision: string, localdir: string, jobs: Jobs): Promise<LoadedProduct> {
    const present = this.#loaded.get(keyOf(revision, localdir));
    if (present !== undefined) return { product: present, revision };
    const body = { revision, localdir, env: { ...process.env }, content: this.#content, dataDir: this.#dataDir };
    const end = await jobs.run('product.kept', body, limits.plans.readMsMax);
    if (end.kind === 'done') return end.result;
    if (end.kind === 'busy') throw new Busy('no thread is free to read the definitions');
    return { problems: `revision ${revision} could not be read: its thread ended (${end.why})` };
  }

  /** Checks an archive that was sent, and keeps it as a revision. `localdir`: the product's checkout on this node. Throws Busy where no job thread is free. */
  async take(archive: Uint8Array, localdir: string, jobs: Jobs): Promise<TakenProduct> {
    const body = { archive, localdir, env: { ...process.env }, content: this.#content, dataDir: this.#dataDir };
    const end = await jobs.run('product.take', body, limits.plans.readMsMax);
    if (end.kind === 'done') return end.result;
    if (end.kind === 'busy') throw new Busy('no thread is free to read the definitions');
    return { problems: `the product could not be read: its thread ended (${end.why})\n` };
  }

  #readBy(localdir: string, jobs: Jobs, dataDir: string | null): Promise<JobEnd<LoadedProduct>> {
    const read = { localdir, env: { ...process.env }, content: this.#content, dataDir };
    return jobs.run('product.load', read, limits.plans.readMsMax);
  }

  /** Tenants of this revision that wake from now on get this product. */
  keep(localdir: string | null, { revision, product }: FreshProduct): void {
    if (revision !== null && localdir !== null) this.#hold(keyOf(revision, localdir), product);
  }

  /** Reads kept revisions ahead of time, so that a spare which takes a host's place need not. A faulty one is read at its first request. */
  async warm(): Promise<void> {
    for await (const revision of this.#revisions.blobs.digests()) {
      if (this.#warm.size >= limits.host.warmProductsMax) return;
      if (this.#warm.has(revision)) continue;
      const { product, problem } = await this.#revisions.load(revision, revision, this.#content);
      if (problem === null) this.#warm.set(revision, product);
    }
  }

  /** The faults of a checkout in words; '' where there are none, or where no job thread was free to check. */
  async faultsOf(localdir: string, jobs: Jobs): Promise<string> {
    const end = await this.#readBy(localdir, jobs, null);
    return end.kind === 'done' && 'problems' in end.result ? end.result.problems : '';
  }
}

const keyOf = (revision: string, localdir: string): string => `${revision} ${localdir}`;
