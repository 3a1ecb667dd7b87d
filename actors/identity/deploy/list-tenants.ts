/** `GET /superadmin/deploy/tenants`. */
import type { Call } from '#actors/host/call.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import type { Identity } from '../identity.ts';
import { refusedDeployer } from './deployer.ts';
import type { deployRoutes } from './routes.ts';

export async function listTenants(
  identity: Identity,
  call: Call,
): Promise<Outcome<(typeof deployRoutes)['deployTenants']>> {
  const denied = refusedDeployer(call);
  if (denied !== null) return denied;
  const { key, customer, product, env } = call.activation.position;
  call.abort();
  const found = await identity.node.ask('deploy.tenants', { plane: key });
  const tenants = found.map(({ tenant, state }) => ({ tenant, state }));
  return reply(200, { product: `${customer}:${product}:${env}`, tenants });
}
