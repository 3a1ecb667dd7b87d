/** Wakes a tenant on its host: every service makes its part of the activation. */
import type { Activation } from '#actors/host/activation.ts';
import type { Service } from '#actors/host/service.ts';
import { whyOf } from '#actors/host/why.ts';
import type { ServedProduct } from '#runtime/revisions.ts';

type Begun = Omit<Activation, 'product' | 'withheld'>;

/**
 * Makes the activation of a tenant. `begun` gives a new activation without parts at each call; `mark` is called when a service begins.
 * Logins must not depend on a product's definitions: where these do not load, or a service cannot use them, the tenant wakes with the
 * product's name and settings only, and services that need no definitions answer.
 */
export async function wakeTenant(
  begun: () => Begun,
  { product, problem }: ServedProduct,
  services: readonly Service[],
  mark: () => void,
): Promise<Activation> {
  const { name, settings } = product;
  if (problem !== null) return withheld({ ...begun(), product }, services, mark, problem);
  const activation: Activation = { ...begun(), product };
  try {
    return await activated(activation, services, mark);
  } catch (error) {
    if (whyOf(error) !== 'fault') throw error;
    return withheld({ ...begun(), product: { name, settings, entities: {} } }, services, mark, error);
  }
}

function withheld(
  activation: Activation,
  services: readonly Service[],
  mark: () => void,
  problem: unknown,
): Promise<Activation> {
  const { context, position } = activation;
  const reason = problem instanceof Error ? problem.message : String(problem);
  const told = problem instanceof Error ? { err: problem } : { faults: reason };
  context.log.error(
    { tenant: position.key, ...told },
    'the definitions of a tenant cannot be used: only its identity answers; mend them and run `skep tenant provision`',
  );
  context.degraded?.report({
    scope: 'tenant',
    name: position.key,
    tenant: position.key,
    reason: `its definitions cannot be used, only its identity answers; mend them and run skep tenant provision: ${reason}`,
    lasts: 'thread',
  });
  return activated({ ...activation, withheld: reason }, services, mark);
}

async function activated(activation: Activation, services: readonly Service[], mark: () => void): Promise<Activation> {
  for (const service of services) {
    mark();
    await service.activate(activation);
  }
  if (activation.withheld === undefined) activation.context.degraded?.clear('tenant', activation.position.key);
  return activation;
}
