/** The handler of each route of a tenant's upkeep: it judges the caller, and data's row of the same work answers at the tenant. */
import { z } from 'zod';
import type { Call } from '#actors/host/call.ts';
import type { Handlers } from '#actors/host/service.ts';
import type { Method } from '#actors/protocol/method.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { relayed } from '../deploy/relayed.ts';
import type { AuthFlow } from '../events.ts';
import type { Identity } from '../identity.ts';
import { askedOf } from '../tenant-plan/asked.ts';
import { toldLater } from '../told.ts';
import type { tenantUpkeepRoutes } from './routes.ts';
import { retentionRequest, seedsRequest } from './shapes.ts';

type Rows = typeof tenantUpkeepRoutes;

interface Work<T extends z.ZodType> {
  readonly flow: AuthFlow;
  /** The name of data's row. */
  readonly route: string;
  readonly method?: Method;
  /** Of the body; absent for a row that takes none. */
  readonly shape?: T;
  /** Names of the path behind the tenant. */
  readonly params?: readonly string[];
}

export function tenantUpkeepHandlers(identity: Identity): Handlers<Rows> {
  const list = (route: string, flow: AuthFlow) => (call: Call) =>
    answered(identity, call, { flow, route, method: 'GET' }) as Promise<never>;
  const run =
    <T extends z.ZodType>(work: Work<T>) =>
    (call: Call) =>
      answered(identity, call, work) as Promise<never>;
  return {
    tenantLocks: list('superadmin_locks', 'tenant_locks'),
    releaseTenantLock: run({
      flow: 'tenant_lock_release',
      route: 'superadmin_lock_release',
      method: 'DELETE',
      params: ['resource'],
    }),
    tenantSeeds: list('superadmin_seeds', 'tenant_seeds'),
    runTenantSeeds: run({ flow: 'tenant_seed_run', route: 'superadmin_seed_run', shape: seedsRequest }),
    tenantRetention: list('superadmin_retention_entities', 'tenant_retention'),
    previewTenantRetention: list('superadmin_retention_preview', 'tenant_retention'),
    runTenantRetention: run({
      flow: 'tenant_retention_run',
      route: 'superadmin_retention_run',
      shape: retentionRequest,
    }),
  };
}

const NO_BODY = z.unknown();

/** The answer is that of data's row, whose shape the row here has declared. */
function answered<T extends z.ZodType>(
  identity: Identity,
  call: Call,
  work: Work<T>,
): Promise<Outcome<Rows[keyof Rows]>> {
  const { flow, route, method, shape, params = [] } = work;
  return toldLater(identity, call, flow, async () => {
    const asked = askedOf(call, shape ?? NO_BODY);
    if (isRefusal(asked)) return asked;
    const values = params.map((name) => call.param(name));
    const body = shape === undefined ? undefined : (asked.value as object);
    call.involve({ target: asked.target.key, data: { ...body, ...(values.length > 0 && { resource: values[0] }) } });
    const wish = {
      route,
      params: values,
      ...(method !== undefined && { method }),
      ...(body !== undefined && { body }),
    };
    const answer = await relayed(identity, call, asked.target, wish);
    if (isRefusal(answer)) return answer;
    return reply(answer.status === 200 ? 200 : 207, answer.body as never);
  });
}
