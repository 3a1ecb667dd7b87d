/** A world whose product has passkeys, and the way of a page through the ceremonies. */
import { Work } from '#actors/host/work.ts';
import { createUser } from '#actors/identity/create-user.ts';
import { giveChallenge } from '#actors/identity/passkey/challenges.ts';
import { boundToUser, PROOF_HEADER } from '#actors/identity/proof/proven.ts';
import { findUser } from '#actors/identity/store.ts';
import { verifyToken } from '#actors/kit/token/verify.ts';
import type { PasskeySettings } from '#config/definitions/product.ts';
import { World, type Answer, type WorldOptions } from '#test/kit/identity-call.ts';
import { SoftAuthenticator } from '#test/kit/soft-authenticator.ts';
import type { Bend, CreationOptions, RequestOptions } from '#test/kit/soft-authenticator.ts';

export const EMAIL = 'ada@example.org';

export const SETTINGS: PasskeySettings = {
  rp_id: 'example.org',
  rp_name: 'Atlas',
  origins: ['https://app.example.org', 'https://example.org:8443'],
  user_verification: 'preferred',
};

export function passkeyWorld(options: WorldOptions = {}, changes: Partial<PasskeySettings> = {}): World {
  return new World({ ...options, settings: { ...options.settings, passkeys: { ...SETTINGS, ...changes } } });
}

export function userIn(world: World, email = EMAIL, passwordHash = ''): string {
  const turn = world.store.begin();
  const id = createUser(turn, world.context, { email, passwordHash, roles: ['tenant_user'] })!;
  turn.commit();
  return id;
}

/** The header of a proof of the user whose bearer it is, as `POST /auth/proof` gives one. */
export function proofFor(world: World, authorization: string): string {
  const claims = verifyToken(authorization.slice('Bearer '.length), world.ring, world.clock.now())?.claims;
  const work = new Work(world.activation);
  const user = findUser(work.turn(), String(claims?.['sub']));
  if (user === undefined) return '';
  const sid = typeof claims?.['sid'] === 'string' ? claims['sid'] : null;
  const proof = giveChallenge(work, 'proven', boundToUser(user, { sid }));
  work.commit();
  return `${PROOF_HEADER}:${proof}\n`;
}

export const said = ({ status, code }: Answer) => [status, code];

export async function begin(world: World, authorization: string): Promise<CreationOptions> {
  const answer = await world.ask('webauthnBegin', { authorization, extra: proofFor(world, authorization) });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body['publicKey'] as CreationOptions;
}

/** Registers a passkey; `bend` is what the authenticator says instead. */
export async function register(
  world: World,
  authorization: string,
  device: SoftAuthenticator,
  { bend = {}, body = {} }: { readonly bend?: Bend; readonly body?: object } = {},
): Promise<Answer> {
  const credential = device.create(await begin(world, authorization), bend);
  return world.ask('webauthnFinish', { authorization, body: { credential, ...body } });
}

export async function beginLogin(world: World): Promise<RequestOptions> {
  const answer = await world.ask('webauthnLoginBegin');
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body['publicKey'] as RequestOptions;
}

export async function logIn(
  world: World,
  device: SoftAuthenticator,
  bend: Bend = {},
  body: object = {},
): Promise<Answer> {
  const credential = device.get(await beginLogin(world), bend);
  return world.ask('webauthnLoginFinish', { body: { credential, ...body } });
}

/** A user with one passkey. */
export async function someone(options: WorldOptions = {}, device = new SoftAuthenticator()) {
  const world = passkeyWorld(options);
  const id = userIn(world);
  const authorization = world.bearer(['tenant_user'], { sub: id });
  const made = await register(world, authorization, device);
  if (made.status !== 201) throw new Error(made.text);
  return { world, id, authorization, device, passkey: made.body['id'] as string };
}
