/** `POST /superadmin/impersonate`. Spec: docs/contract/identity.md §4.2, docs/contract/identity-users.md §7.2. */
import type { z } from 'zod';
import type { Call, Involved } from '#actors/host/call.ts';
import { isUlid } from '#config/values/id.ts';
import { CALLER_IP } from '#actors/protocol/frame.ts';
import { CONTROL_PLANE, isPlane, operatorPlaneOf, parsePosition } from '#actors/protocol/position.ts';
import type { Position } from '#actors/protocol/position.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import { reply } from '#actors/protocol/route.ts';
import type { Outcome } from '#actors/protocol/route.ts';
import { principalOf } from '../identity.ts';
import type { Identity } from '../identity.ts';
import { missingPlace } from '../place.ts';
import { readObject, readShape } from '../read-body.ts';
import { refuse } from '../refusals.ts';
import type { Opened, OpenWish } from './open-impersonation.ts';
import type { operatorRoutes } from './routes.ts';
import { impersonateRequest } from './shapes.ts';
import type { GrantRecord } from './store.ts';

type Result = Outcome<typeof operatorRoutes.impersonate>;
type Wish = z.output<typeof impersonateRequest>;

/** Neither role is implied by the other, nor by any third (docs/contract/identity-users.md §7.2). */
const ROLE_OF = { readonly: 'impersonate-readonly', full: 'impersonate' } as const;

/** Body and reason, position, then every condition of the contract, each of which denies in the same words. */
export async function impersonate(identity: Identity, call: Call): Promise<Result> {
  const object = readObject(call);
  if (!object.ok) return object.refusal;
  if (!isReason((object.value as { reason?: unknown }).reason)) return refuse('reason_required');
  const wish = readShape(object.value, impersonateRequest);
  if (!wish.ok) return wish.refusal;
  const place = parsePosition(wish.value.tenant);
  call.involve({ ...named(wish.value.user), ...(place === null ? {} : { data: { tenant: place.key } }) });
  const missing = missingPlace(call);
  if (missing !== null) return missing;
  const why = objection(principalOf(call), call.activation.position, wish.value);
  return why === null ? begin(identity, call, wish.value) : denied(identity, call, wish.value, why);
}

function isReason(reason: unknown): boolean {
  return typeof reason === 'string' && reason.trim() !== '';
}

/** How records name the user whom the caller typed: an id stands in them, an address lies beside them, where it can be erased. */
function named(user: string): Involved {
  return isUlid(user) ? { target: user } : { email: user };
}

/** What the caller himself lacks, or null. */
function objection(principal: Principal, plane: Position, { mode, tenant }: Wish): string | null {
  if (plane.key !== operatorPlaneOf(plane)) return 'the position is no operator plane';
  if (principal.tenant !== plane.key) return 'the principal is of another tenant';
  if (principal.actor !== null) return 'an impersonation cannot impersonate';
  if (!principal.roles.includes(ROLE_OF[mode])) return `the role ${ROLE_OF[mode]} is missing`;
  const target = parsePosition(tenant);
  if (target === null || isPlane(target) || operatorPlaneOf(target) !== plane.key)
    return 'the tenant is not of this plane';
  return null;
}

/** The grant lies in the control plane, the user and his sessions in his tenant: both are asked by message, holding no turn. */
async function begin(identity: Identity, call: Call, wish: Wish): Promise<Result> {
  const operator = principalOf(call).subject;
  const { tenant, user, reason, mode } = wish;
  call.abort();
  const granted = await identity.node.ask('identity.ask', {
    key: CONTROL_PLANE,
    verb: 'grant.current',
    body: { operator, tenant },
  });
  if (!granted.ok || granted.value === null) {
    await findTarget(identity, call, wish);
    return denied(identity, call, wish, 'no grant');
  }
  const body: OpenWish = {
    operator,
    user,
    reason,
    mode,
    granted_until: (granted.value as GrantRecord).expires_at,
    ip: call.header(CALLER_IP) ?? null,
    request_id: call.requestId,
    user_agent: call.header('user-agent') ?? null,
  };
  const opened = await identity.node.ask('identity.ask', { key: tenant, verb: 'impersonation.open', body });
  if (!opened.ok) return denied(identity, call, wish, opened.message);
  return answer(identity, call, wish, opened.value as Opened);
}

/** For the record of a denial only: a tenant that cannot be asked leaves the user's id out. */
async function findTarget(identity: Identity, call: Call, { tenant, user }: Wish): Promise<void> {
  const found = await identity.node
    .ask('identity.ask', { key: tenant, verb: 'user.find', body: { user } })
    .catch(() => null);
  if (found?.ok === true && found.value !== null) call.involve({ target: (found.value as { id: string }).id });
}

function answer(identity: Identity, call: Call, wish: Wish, opened: Opened): Result {
  if (opened.userId !== undefined) call.involve({ target: opened.userId });
  if (opened.outcome === 'denied') return denied(identity, call, wish, opened.why);
  if (opened.outcome === 'failed') return refuse('mint_failed');
  call.involve({ data: { tenant: wish.tenant, mode: wish.mode, session_id: opened.body.session_id } });
  return reply(200, opened.body, { 'Cache-Control': 'no-store' });
}

/** The caller learns that the impersonation is denied, the event why. A text that is no tenant's key may be anything, and is not told. */
function denied(identity: Identity, call: Call, { tenant, mode, reason }: Wish, why: string): Result {
  const data = { tenant: parsePosition(tenant)?.key ?? '', mode, reason, why };
  identity.emit(call, 'auth.impersonation.denied', '', 'impersonation_denied', data);
  return refuse('impersonation_denied');
}
