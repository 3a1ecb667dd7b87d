/** `POST /auth/bootstrap`: the very first superadmin. Spec: docs/contract/identity-users.md §5. */
import type { z } from 'zod';
import type { Activation } from '#actors/host/activation.ts';
import type { Call } from '#actors/host/call.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { hashPassword } from '#actors/kit/password.ts';
import { sameDigest, secretSha256 } from '#actors/kit/secret.ts';
import { CONTROL_PLANE } from '#actors/protocol/position.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { createUser } from './create-user.ts';
import type { Identity } from './identity.ts';
import { readObject, readShape } from './read-body.ts';
import { challenge, refuse } from './refusals.ts';
import type { routes } from './routes.ts';
import { bootstrapRequest } from './shapes.ts';
import { bootstrapUsed, closeBootstrap } from './store.ts';

type Result = Outcome<typeof routes.bootstrap>;

/** `superadmin` may confer any role; a grant over everything needs `platform_admin` as well. */
export const SUPERADMIN_ROLES: readonly string[] = ['superadmin', 'platform_admin'];

/** Checks whether bootstrap is open, then the token, then the fields: without the token a caller learns only that the route exists. */
export async function bootstrap(identity: Identity, call: Call): Promise<Result> {
  const plane = call.tenant;
  if (plane === null || plane.position.key !== CONTROL_PLANE) return refuse('engine_unavailable');
  if (identity.bootstrapToken === null || bootstrapUsed(call.turn())) return refuse('bootstrap_closed');
  const object = readObject(call);
  if (!object.ok) return object.refusal;
  if (!isToken((object.value as { token?: unknown }).token, identity.bootstrapToken))
    return challenge('bootstrap_denied');
  const wish = readShape(object.value, bootstrapRequest);
  if (!wish.ok) return wish.refusal;
  return admit(plane, call, wish.value, await hashPassword(wish.value.password));
}

/** Compares digests, so that the time of the comparison reveals neither length nor prefix of the configured token. */
function isToken(shown: unknown, configured: string): boolean {
  return typeof shown === 'string' && sameDigest(secretSha256(shown), secretSha256(configured));
}

/** Another bootstrap may have committed while this one hashed: a fresh turn checks again, makes the user and closes bootstrap. */
function admit(
  { context }: Activation,
  call: Call,
  wish: z.output<typeof bootstrapRequest>,
  passwordHash: string,
): Result {
  const turn = call.nextTurn();
  if (bootstrapUsed(turn)) return refuse('bootstrap_closed');
  const { email, firstname, lastname } = wish;
  const id = createUser(turn, context, { email, passwordHash, roles: SUPERADMIN_ROLES, firstname, lastname });
  if (id === null) return refuse('login_taken');
  call.involve({ actor: id, target: id, email });
  closeBootstrap(turn, timestamp(context.clock.now()), id);
  call.commit();
  return reply(201, { id, email });
}
