/** Product definitions by checkout, read once per thread however many tenants share them. */
import { limits } from '#config/limits.ts';
import type { JobEnd, Jobs, LoadedProduct } from '#actors/kit/jobs.ts';
import { Busy } from '#actors/protocol/busy.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import type { ContentSource } from '#config/definitions/content/load-content.ts';
import { loadProduct } from '#config/definitions/load-product.ts';
import type { ProductDefinition } from '#config/definitions/product.ts';
import { renderProblems } from '#config/problem.ts';

/** What a tenant serves, and why it is less than its checkout declares: null where it is all of it. */
export interface ServedProduct {
  readonly product: ProductDefinition;
  readonly problem: string | null;
}

/** What a plane has: no entities of its own. */
const PLANE: ProductDefinition = { name: 'plane', entities: {}, settings: {} };
/** What is left of a product whose `product.yaml` cannot be read. */
const NAMELESS: ProductDefinition = { name: 'unknown', entities: {}, settings: {} };

export class Products {
  readonly #content: ContentSource;
  readonly #loaded = new Map<string, ProductDefinition>();

  constructor(content: ContentSource) {
    this.#content = content;
  }

  /** The product of a checkout; throws with every problem's file, line and column. */
  of(localdir: string | null): ProductDefinition {
    if (localdir === null) return PLANE;
    const present = this.#loaded.get(localdir);
    if (present !== undefined) return present;
    const result = loadProduct(localdir, { content: this.#content });
    if ('problems' in result)
      throw new Error(`the product in ${localdir} does not load:\n${renderProblems(result.problems)}`);
    this.#loaded.set(localdir, result.product);
    return result.product;
  }

  /** The product of a checkout; of one that does not load its name and settings, so that its tenants' people can log in. */
  served(localdir: string | null): ServedProduct {
    if (localdir === null) return { product: PLANE, problem: null };
    const present = this.#loaded.get(localdir);
    if (present !== undefined) return { product: present, problem: null };
    const result = loadProduct(localdir, { content: this.#content });
    if ('problems' in result) return { product: result.bare ?? NAMELESS, problem: renderProblems(result.problems) };
    this.#loaded.set(localdir, result.product);
    return { product: result.product, problem: null };
  }

  /** The product as its checkout says it now, read by a job: hundreds of files are no turn's work. Nothing else changes. */
  async fresh(localdir: string | null, jobs: Jobs): Promise<LoadedProduct> {
    if (localdir === null) return { product: PLANE };
    const end = await this.#readBy(localdir, jobs);
    if (end.kind === 'done') return end.result;
    if (end.kind === 'busy') throw new Busy('no thread is free to read the definitions');
    return { problems: `the product in ${localdir} could not be read: its thread ended (${end.why})` };
  }

  #readBy(localdir: string, jobs: Jobs): Promise<JobEnd<LoadedProduct>> {
    const read = { localdir, env: { ...process.env }, content: this.#content };
    return jobs.run('product.load', read, limits.plans.readMsMax);
  }

  /** Activations that wake from now on begin with it. */
  keep(localdir: string | null, product: ProductDefinition): void {
    if (localdir !== null) this.#loaded.set(localdir, product);
  }

  /** Reads the products of some tenants beforehand, so that a spare that takes a host's place need not. A faulty one waits for its first request. */
  warm(tenants: readonly TenantEntry[]): void {
    const dirs = [...new Set(tenants.map((tenant) => tenant.localdir))].slice(0, limits.host.warmProductsMax);
    for (const dir of dirs) {
      if (this.#loaded.size >= limits.host.warmProductsMax) return;
      try {
        this.of(dir);
      } catch {
        // told to whoever asks for it
      }
    }
  }

  /** What a node should tell of a checkout when it starts: '' where all of it can be served, or no thread is free to look. */
  async faultsOf(localdir: string, jobs: Jobs): Promise<string> {
    const end = await this.#readBy(localdir, jobs);
    return end.kind === 'done' && 'problems' in end.result ? end.result.problems : '';
  }

  /** Forgets everything, so that the next activation reads the files again. */
  clear(): void {
    this.#loaded.clear();
  }
}
