/** Faults of a checkout that loads but cannot be served: its rules, statements and programs, compiled by the same functions that serve them. */
import type { ProductDefinition } from '#config/definitions/product.ts';
import { responseFaults } from '#actors/bff/part.ts';
import { ruleFaults } from '#actors/content/part.ts';
import { ruleNameFaults as contentNameFaults } from '#actors/content/rule-names.ts';
import { definitionFaults, guardFaults } from '#actors/data/definition-faults.ts';
import { ruleNameFaults } from '#actors/engine/rows/rule-faults.ts';
import { faultText, type PartFault } from '#actors/kit/part-fault.ts';

/** Parts that could not be served, and rules that name something unknown and so deny everything. A product with any of these is not provisioned. */
export async function productFaults(product: ProductDefinition): Promise<PartFault[]> {
  const names = [...ruleNameFaults(product), ...contentNameFaults(product)];
  return [...(await definitionFaults(product)), ...ruleFaults(product), ...responseFaults(product), ...names];
}

/** The same and faulty guards of stateflows, which do not hinder provisioning: the contract has their events answered with a fault. */
export async function everyFault(product: ProductDefinition): Promise<PartFault[]> {
  return [...(await productFaults(product)), ...guardFaults(product)];
}

/** One line per fault. */
export function renderFaults(faults: readonly PartFault[]): string {
  return faults.map((fault) => `${faultText(fault)}\n`).join('');
}
