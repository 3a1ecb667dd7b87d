/** Product definitions by revision, read once per thread however many tenants share them. */
import { limits } from '#config/limits.ts';
import type { FreshProduct, JobEnd, Jobs, LoadedProduct } from '#actors/kit/jobs.ts';
import { Busy } from '#actors/protocol/busy.ts';
import type { ContentSource } from '#config/definitions/content/load-content.ts';
import { loadProduct } from '#config/definitions/load-product.ts';
import type { ProductDefinition } from '#config/definitions/product.ts';
import { renderProblems } from '#config/problem.ts';
import type { BlobStore } from '#storage/blob/port.ts';
import { NAMELESS, placed, Revisions } from '#runtime/revisions.ts';
import type { ServedProduct } from '#runtime/revisions.ts';

/** What a plane has: no entities of its own. */
const PLANE: ProductDefinition = { name: 'plane', entities: {}, settings: {} };

/** How long one reading of a checkout does for tenants of a directory that was written before revisions were kept. */
const ONE_READING_MS = 10_000;

export class Products {
  readonly #content: ContentSource;
  readonly #dataDir: string;
  readonly #revisions: Revisions;
  /** By revision and checkout, whose places it tells; the one that was used last at the end. */
  readonly #loaded = new Map<string, ProductDefinition>();
  readonly #loading = new Map<string, Promise<ServedProduct>>();
  /** By revision, read before it was known which checkout a tenant has: the revision stands where that will. */
  readonly #warm = new Map<string, ProductDefinition>();
  readonly #readings = new Map<string, Promise<LoadedProduct>>();

  constructor(content: ContentSource, dataDir: string) {
    this.#content = content;
    this.#dataDir = dataDir;
    this.#revisions = new Revisions(dataDir);
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

  /** What a tenant serves that was provisioned with a revision, whatever lies in its checkout now. */
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

  /** Each provisioning may bring another revision: the one that no tenant has woken with for the longest time goes. */
  #hold(key: string, product: ProductDefinition): void {
    this.#loaded.delete(key);
    this.#loaded.set(key, product);
    const [oldest] = this.#loaded.keys();
    if (this.#loaded.size > limits.host.loadedProductsMax) this.#loaded.delete(oldest!);
  }

  /** What is served of a checkout where nothing sound could be kept of it: all that loads, or its name and settings. */
  unkept(localdir: string | null): ServedProduct {
    if (localdir === null) return { product: PLANE, problem: null };
    const result = loadProduct(localdir, { content: this.#content });
    if (!('problems' in result)) return { product: result.product, problem: null };
    return { product: result.bare ?? NAMELESS, problem: renderProblems(result.problems) };
  }

  /** The product as its checkout says it now, read and kept by a job: hundreds of files are no turn's work. Nothing else changes. */
  async fresh(localdir: string | null, jobs: Jobs): Promise<LoadedProduct> {
    if (localdir === null) return { product: PLANE, revision: null };
    const end = await this.#readBy(localdir, jobs, this.#dataDir);
    if (end.kind === 'done') return end.result;
    if (end.kind === 'busy') throw new Busy('no thread is free to read the definitions');
    return { problems: `the product in ${localdir} could not be read: its thread ended (${end.why})` };
  }

  /** The same for one tenant after the other of a directory that was written before revisions were kept: a reading does for a while. */
  first(localdir: string, jobs: Jobs): Promise<LoadedProduct> {
    const present = this.#readings.get(localdir);
    if (present !== undefined) return present;
    const reading = this.fresh(localdir, jobs);
    this.#readings.set(localdir, reading);
    const over = (): void => void this.#readings.delete(localdir);
    reading.then(() => setTimeout(over, ONE_READING_MS).unref(), over);
    return reading;
  }

  #readBy(localdir: string, jobs: Jobs, dataDir: string | null): Promise<JobEnd<LoadedProduct>> {
    const read = { localdir, env: { ...process.env }, content: this.#content, dataDir };
    return jobs.run('product.load', read, limits.plans.readMsMax);
  }

  /** Activations that wake from now on begin with it. */
  keep(localdir: string | null, { revision, product }: FreshProduct): void {
    if (revision !== null && localdir !== null) this.#hold(keyOf(revision, localdir), product);
  }

  /** Reads kept revisions beforehand, so that a spare that takes a host's place need not. A faulty one waits for its first request. */
  async warm(): Promise<void> {
    for await (const revision of this.#revisions.blobs.digests()) {
      if (this.#warm.size >= limits.host.warmProductsMax) return;
      if (this.#warm.has(revision)) continue;
      const { product, problem } = await this.#revisions.load(revision, revision, this.#content);
      if (problem === null) this.#warm.set(revision, product);
    }
  }

  /** What a node should tell of a checkout when it starts: '' where all of it can be served, or no thread was free to look. */
  async faultsOf(localdir: string, jobs: Jobs): Promise<string> {
    const end = await this.#readBy(localdir, jobs, null);
    return end.kind === 'done' && 'problems' in end.result ? end.result.problems : '';
  }
}

const keyOf = (revision: string, localdir: string): string => `${revision} ${localdir}`;
