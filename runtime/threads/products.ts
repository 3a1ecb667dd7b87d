/** Product definitions by checkout, read once per thread however many tenants share them. */
import { loadProduct } from '#config/definitions/load-product.ts';
import type { ProductDefinition } from '#config/definitions/product.ts';
import { renderProblems } from '#config/problem.ts';

/** What a plane has: no entities of its own. */
const PLANE: ProductDefinition = { name: 'plane', entities: {}, settings: {} };

export class Products {
  readonly #loaded = new Map<string, ProductDefinition>();

  /** The product of a checkout; throws with every problem's file, line and column. */
  of(localdir: string | null): ProductDefinition {
    if (localdir === null) return PLANE;
    const present = this.#loaded.get(localdir);
    if (present !== undefined) return present;
    const result = loadProduct(localdir);
    if ('problems' in result)
      throw new Error(`the product in ${localdir} does not load:\n${renderProblems(result.problems)}`);
    this.#loaded.set(localdir, result.product);
    return result.product;
  }

  /** Forgets everything, so that the next activation reads the files again. */
  clear(): void {
    this.#loaded.clear();
  }
}
