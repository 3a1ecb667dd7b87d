/** What a checkout says that reads well and cannot be served: rules, statements and programs, by the functions that serving compiles them with. */
import type { ProductDefinition } from '#config/definitions/product.ts';
import { responseFaults } from '#actors/bff/part.ts';
import { ruleFaults } from '#actors/content/part.ts';
import { ruleNameFaults as contentNameFaults } from '#actors/content/rule-names.ts';
import { definitionFaults, guardFaults } from '#actors/data/definition-faults.ts';
import { ruleNameFaults } from '#actors/engine/rows/rule-faults.ts';
import { faultText } from '#actors/kit/part-fault.ts';
import type { PartFault } from '#actors/kit/part-fault.ts';

/** Parts that would not be served, and rules that name what is not there, which deny: a product that has some is not provisioned. */
export async function productFaults(product: ProductDefinition): Promise<PartFault[]> {
  const names = [...ruleNameFaults(product), ...contentNameFaults(product)];
  return [...(await definitionFaults(product)), ...ruleFaults(product), ...responseFaults(product), ...names];
}

/** Those, and the guards of stateflows: their events are answered with a fault, as the contract says. */
export async function everyFault(product: ProductDefinition): Promise<PartFault[]> {
  return [...(await productFaults(product)), ...guardFaults(product)];
}

/** One line per fault, as the problems of a file are shown. */
export function renderFaults(faults: readonly PartFault[]): string {
  return faults.map((fault) => `${faultText(fault)}\n`).join('');
}
