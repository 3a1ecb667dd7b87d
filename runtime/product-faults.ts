/** What a checkout says that reads well and cannot be served: rules and programs, which the services compile. */
import type { ProductDefinition } from '#config/definitions/product.ts';
import { responseFaults } from '#actors/bff/part.ts';
import { ruleFaults } from '#actors/content/part.ts';
import { entityRuleFaults } from '#actors/data/entity/rule-faults.ts';
import { guardFaults } from '#actors/data/stateflow/machine.ts';

/** Stores, apps and endpoints that would not be served; each fault with file, line and column. */
export function servedFaults(product: ProductDefinition): string[] {
  return [...ruleFaults(product), ...responseFaults(product)];
}

/** Those, and rules of entities, without which no tenant of the product wakes. */
export function productFaults(product: ProductDefinition): string[] {
  return [...entityRuleFaults(product), ...servedFaults(product)];
}

/** Everything, the guards of stateflows too: their events are answered with a fault, as the contract says. */
export function everyFault(product: ProductDefinition): string[] {
  return [...productFaults(product), ...guardFaults(product)];
}

/** One line per fault, as the problems of a file are shown. */
export function renderFaults(faults: readonly string[]): string {
  return faults.map((fault) => `${fault}\n`).join('');
}
