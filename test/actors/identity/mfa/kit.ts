/** A user with an authenticator app, in a world without threads. */
import { Secret, TOTP } from 'otpauth';
import { createUser } from '#actors/identity/create-user.ts';
import { issueKeyInternally } from '#actors/identity/new-key.ts';
import type { Capabilities } from '#actors/identity/shapes.ts';
import type { Answer, World } from '#test/kit/identity-call.ts';

export const EMAIL = 'ada@example.org';

export function userIn(world: World, email = EMAIL): string {
  const turn = world.store.begin();
  const id = createUser(turn, world.context, { email, passwordHash: 'x', roles: ['tenant_user'] })!;
  turn.commit();
  return id;
}

/** The `Authorization` header of a key that this subject issued. */
export function keyOf(world: World, createdBy: string, capabilities: Capabilities = {}): string {
  const turn = world.store.begin();
  const { key } = issueKeyInternally(turn, world.context, { capabilities, createdBy });
  turn.commit();
  return `ApiKey ${key}`;
}

/** The code of a secret (base32) at the world's time, or some steps away from it. */
export function codeOf(world: World, secret: unknown, steps = 0): string {
  const totp = new TOTP({ secret: Secret.fromBase32(secret as string) });
  return totp.generate({ timestamp: world.clock.now() + steps * 30_000 });
}

export interface Enrolled {
  readonly secret: string;
  readonly recoveryCodes: readonly string[];
}

/** Setup and enable; the clock is two steps further afterwards, so that a fresh code is at hand. */
export async function enrol(world: World, authorization: string): Promise<Enrolled> {
  const secret = (await world.ask('setupTotp', { authorization })).body['secret'] as string;
  const enabled: Answer = await world.ask('enableTotp', { authorization, body: { code: codeOf(world, secret) } });
  if (enabled.status !== 200) throw new Error(enabled.text);
  world.clock.advance(60_000);
  return { secret, recoveryCodes: enabled.body['recovery_codes'] as string[] };
}
