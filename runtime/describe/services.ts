/** Route rows and refusal rows of each service side by side, for everything that is generated from them or checks them. */
import type { RefusalTable } from '#actors/protocol/refusal.ts';
import type { RouteTable } from '#actors/protocol/route.ts';
import { refusals as dataRefusals } from '#actors/data/refusals.ts';
import { refusals as identityRefusals } from '#actors/identity/refusals.ts';
import { refusals as intakeRefusals } from '#actors/intake/refusals.ts';
import { ROUTE_LIST } from '#runtime/route-list.ts';

export interface ServiceRows {
  readonly name: string;
  readonly routes: RouteTable;
  readonly refusals: RefusalTable;
}

const REFUSALS: Readonly<Record<string, RefusalTable>> = {
  identity: identityRefusals,
  data: dataRefusals,
  intake: intakeRefusals,
};

/** The services of the route list. Throws when one has no refusal rows here. */
export function describedServices(): ServiceRows[] {
  return ROUTE_LIST.map(([name, routes]) => {
    const refusals = REFUSALS[name];
    if (refusals === undefined) throw new Error(`no refusal rows of ${name}: add them to runtime/describe/services.ts`);
    return { name, routes, refusals };
  });
}
