/**
 * The definitions that a tenant serves, and who has made something of them: a plan or provisioning brings newer ones while the
 * tenant is awake, and every service meets them from the same turn on.
 */
import type { ProductDefinition } from '#config/definitions/product.ts';
import type { Activation, ProductFollower } from './activation.ts';

/** From now on the follower is asked when other definitions come; once for each service and activation. */
export function followProduct(activation: Activation, follower: ProductFollower): void {
  (activation.followers ??= []).push(follower);
}

/** Everything made of other definitions; the function that it gives serves them all at once. Throws DefinitionError, and serves on. */
export function prepareProduct(activation: Activation, product: ProductDefinition): () => void {
  const turns = (activation.followers ?? []).map((follower) => follower(product));
  return () => {
    activation.product = product;
    for (const turn of turns) turn();
  };
}
