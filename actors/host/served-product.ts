/**
 * The definitions that a tenant serves, and the services that follow them: a plan or provisioning brings newer ones while the tenant is
 * awake, and every service uses them from the same turn on.
 */
import type { ProductDefinition } from '#config/definitions/product.ts';
import type { Activation, ProductFollower } from './activation.ts';

/** Registers a follower for new definitions; once for each service and activation. */
export function followProduct(activation: Activation, follower: ProductFollower): void {
  (activation.followers ??= []).push(follower);
}

/** Has every follower prepare new definitions; the function that it gives puts all of them to use at once. Throws DefinitionError; the old ones are then still served. */
export function prepareProduct(activation: Activation, product: ProductDefinition): () => void {
  const turns = (activation.followers ?? []).map((follower) => follower(product));
  return () => {
    activation.product = product;
    for (const turn of turns) turn();
  };
}
