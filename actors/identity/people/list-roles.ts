/** `GET /auth/admin/roles`: the roles of the product with what its definitions give them. */
import type { ProductDefinition } from '#config/definitions/product.ts';
import { roleUses, type RoleUse } from '#config/definitions/role-uses.ts';
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { administratorOf } from './administrator.ts';
import type { peopleRoutes } from './routes.ts';

/** Definitions do not change once they are loaded, and tenants share them: each is read through once. */
const known = new WeakMap<ProductDefinition, RoleUse[]>();

export function listRoles(call: Call): Outcome<typeof peopleRoutes.listRoles> {
  const caller = administratorOf(call);
  if (isRefusal(caller)) return caller;
  const { product } = call.activation;
  const roles = known.get(product) ?? roleUses(product);
  known.set(product, roles);
  return reply(200, { roles });
}
