/** `POST /superadmin/impersonate`. Spec: docs/contract/identity.md §4.2, docs/contract/identity-users.md §7.2. */
import type { z } from 'zod';
import type { Call, Involved } from '#actors/host/call.ts';
import { isUlid } from '#config/values/id.ts';
import { CALLER_IP } from '#actors/protocol/frame.ts';
import { CONTROL_PLANE, isPlane, operatorPlaneOf, parsePosition, type Position } from '#actors/protocol/position.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { principalOf, type Identity } from '../identity.ts';
import { missingPlace } from '../place.ts';
import { readObject, readShape } from '../read-body.ts';
import { refuse } from '../refusals.ts';
import type { Opened, OpenWish } from './open-impersonation.ts';
import type { operatorRoutes } from './routes.ts';
import { impersonateRequest } from './shapes.ts';
import type { GrantRecord } from './store.ts';

type Result = Outcome<typeof operatorRoutes.impersonate>;
type Wish = z.output<typeof impersonateRequest>;

/** No role implies one of these two, not even the other one (docs/contract/identity-users.md §7.2). */
const ROLE_OF = { readonly: 'impersonate-readonly', full: 'impersonate' } as const;

/** Checks body and reason, position, then every condition of the contract; all of these deny with one message. */
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

/** How events name the requested user: by id, or by an address that is stored beside the log, where it can be erased. */
function named(user: string): Involved {
  return isUlid(user) ? { target: user } : { email: user };
}

/** The condition that the caller does not meet, or null. */
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

/** The grant is in the control plane, the user and the sessions in the user's tenant: both are asked by message, after this turn has ended. */
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

/** Finds the user's id for the event of a denial; when the tenant cannot be asked, the event has no id. */
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

/** Only the event has the reason, not the answer. A text that is not a tenant's key may be anything and is left out. */
function denied(identity: Identity, call: Call, { tenant, mode, reason }: Wish, why: string): Result {
  const data = { tenant: parsePosition(tenant)?.key ?? '', mode, reason, why };
  identity.emit(call, 'auth.impersonation.denied', '', 'impersonation_denied', data);
  return refuse('impersonation_denied');
}
