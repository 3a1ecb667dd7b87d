/** A guest who links an account at a provider becomes an account. Spec: docs/contract/identity-guests.md §5. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import type { GuestsDefinition } from '#config/definitions/product.ts';
import { guestCount } from '#actors/identity/guest/store.ts';
import { findLink } from '#actors/identity/oauth/store.ts';
import { readPasskeys } from '#actors/identity/passkey/store.ts';
import { startOpenIdProvider, type OpenIdProvider } from '#test/kit/openid-provider.ts';
import { SoftAuthenticator } from '#test/kit/soft-authenticator.ts';
import { tokenIn } from '#test/kit/users.ts';
import { accountWorld, type AccountWorld } from '../account/kit.ts';
import { logIn, register, said, SETTINGS as PASSKEYS } from '../passkey/kit.ts';
import { providerRow } from './kit.ts';

const GUESTS: GuestsDefinition = { roles: ['tenant_viewer'], keep: '720h', max: 100 };
const CLOUD = 'ada@cloud.example';
type Accounts = NonNullable<Parameters<typeof accountWorld>[0]>;
type Settings = NonNullable<Parameters<typeof accountWorld>[1]>;

let corp: OpenIdProvider;
beforeAll(async () => void (corp = await startOpenIdProvider()));
beforeEach(() => {
  corp.accounts.clear();
  corp.accounts.set('ada', { email: CLOUD, email_verified: true, given_name: 'Ada' });
  corp.accounts.set('shy', { email: CLOUD, email_verified: false });
});
afterAll(() => corp.stop());

function worldOf(accounts: Accounts = {}, settings: Settings = {}): AccountWorld {
  const oauth = { providers: { corp: providerRow(corp.issuer, { roles: ['of_the_provider'] }) } };
  return accountWorld(
    { guests: GUESTS, ...accounts },
    { ...settings, oauth },
    { outbound: { allowPrivate: [corp.host] } },
  );
}

async function guestIn(world: AccountWorld) {
  const { body } = await world.ask('createGuest', {});
  const authorization = `Bearer ${body['access_token'] as string}`;
  const id = (await world.ask('showMe', { authorization })).body['id'] as string;
  return { authorization, id, refresh: body['refresh_token'] };
}

const begin = (world: AccountWorld, authorization: string) => world.ask('startLink', { authorization, id: 'corp' });

async function atProvider(world: AccountWorld, authorization: string, subject = 'ada') {
  const started = await begin(world, authorization);
  if (started.status !== 200) throw new Error(started.text);
  return Object.fromEntries(await corp.signIn(started.body['authorization_url'] as string, subject));
}

async function link(world: AccountWorld, authorization: string, subject = 'ada') {
  const body = await atProvider(world, authorization, subject);
  return world.ask('finishLink', { authorization, id: 'corp', body });
}

const whose = (world: AccountWorld) =>
  findLink(world.store.begin(), { provider: 'corp', issuer: corp.issuer, sub: 'ada' })?.user_id;

describe.each([['managed' as const], ['stateless' as const]])('a guest of a %s tenant', (mode) => {
  const settings = { sessions: { mode } };

  test('becomes an account: the same id, the verified address, the roles of a sign-up, new tokens', async () => {
    const world = worldOf({ roles: ['tenant_user'] }, settings);
    const guest = await guestIn(world);
    const answer = await link(world, guest.authorization);
    expect([answer.status, answer.body]).toMatchObject([200, { token_type: 'Bearer' }]);
    const authorization = `Bearer ${answer.body['access_token'] as string}`;
    expect((await world.ask('showMe', { authorization })).body).toMatchObject({
      id: guest.id,
      email: CLOUD,
      guest: false,
      verified: true,
      firstname: 'Ada',
      roles: ['tenant_user'],
      has_password: false,
    });
    expect(guestCount(world.store.begin())).toBe(0);
    expect(whose(world)).toBe(guest.id);
    expect(world.events).toContainEqual(
      expect.objectContaining({
        action: 'auth.user.changed',
        target: guest.id,
        data: { roles: ['tenant_user'], changed: ['guest', 'email', 'roles'] },
      }),
    );
    const { body } = await world.ask('startOauth', { id: 'corp' });
    const query = await corp.signIn(body['authorization_url'] as string, 'ada');
    expect((await world.ask('finishOauth', { id: 'corp', query: query.toString() })).status).toBe(200);
    expect(world.users()).toHaveLength(1);
  });

  test('logs in by a passkey and stays a guest; as an account it keeps no login and no factor of before', async () => {
    const world = worldOf({}, { ...settings, passkeys: PASSKEYS });
    const guest = await guestIn(world);
    const device = new SoftAuthenticator();
    expect((await register(world, guest.authorization, device)).status).toBe(201);
    const again = await logIn(world, device);
    expect(again.status).toBe(200);
    const authorization = `Bearer ${again.body['access_token'] as string}`;
    expect((await world.ask('showMe', { authorization })).body).toMatchObject({ id: guest.id, guest: true });
    expect((await link(world, guest.authorization)).status).toBe(200);
    expect((await logIn(world, device)).status).toBe(401);
    expect((await world.refresh(again.body['refresh_token'])).status).toBe(401);
    expect((await world.refresh(guest.refresh)).status).toBe(401);
    expect(readPasskeys(world.store.begin(), guest.id)).toEqual([]);
  });

  test('needs no proof, however long ago it came in', async () => {
    const world = worldOf({}, settings);
    const guest = await guestIn(world);
    world.clock.advance(limits.account.freshLoginMs + 1000);
    expect((await begin(world, guest.authorization)).status).toBe(200);
  });
});

describe('a guest stays one', () => {
  test('where the address is known, is not verified, or its account logs another user in', async () => {
    const world = worldOf();
    await world.addUser(CLOUD);
    const guest = await guestIn(world);
    expect(said(await link(world, guest.authorization))).toEqual([409, 'login_taken']);
    expect(said(await link(world, guest.authorization, 'shy'))).toEqual([401, 'oauth_failed']);
    expect(whose(world)).toBeUndefined();
    expect((await world.ask('showMe', { authorization: guest.authorization })).body).toMatchObject({
      guest: true,
      email: '',
    });
    const other = worldOf();
    const [one, two] = [await guestIn(other), await guestIn(other)];
    expect((await link(other, one.authorization)).status).toBe(200);
    expect(said(await link(other, two.authorization))).toEqual([409, 'identity_taken']);
    expect(guestCount(other.store.begin())).toBe(1);
  });

  test('where its domain is not taken: the same for a known and an unknown address', async () => {
    const world = worldOf({ domains: ['shop.example'] });
    const guest = await guestIn(world);
    expect(said(await link(world, guest.authorization))).toEqual([403, 'email_domain']);
    await world.addUser(CLOUD);
    expect(said(await link(world, guest.authorization))).toEqual([403, 'email_domain']);
  });

  test('where sign-ups are closed: no provider is asked', async () => {
    for (const sign_up of ['closed', 'invitation'] as const) {
      const world = worldOf({ sign_up });
      const guest = await guestIn(world);
      expect(said(await begin(world, guest.authorization))).toEqual([403, 'sign_up_closed']);
    }
  });

  test('for the state of another guest, which stays good for its own', async () => {
    const world = worldOf();
    const [one, two] = [await guestIn(world), await guestIn(world)];
    const body = await atProvider(world, one.authorization);
    const stolen = await world.ask('finishLink', { authorization: two.authorization, id: 'corp', body });
    expect(said(stolen)).toEqual([400, 'invalid_state']);
    expect((await world.ask('finishLink', { authorization: one.authorization, id: 'corp', body })).status).toBe(200);
  });
});

test('open sign-ups of the address end with it', async () => {
  const world = worldOf();
  const guest = await guestIn(world);
  await world.ask('signUp', { body: { email: CLOUD } });
  const mail = (await world.takeMail()).at(-1)!;
  expect((await link(world, guest.authorization)).status).toBe(200);
  const shown = await world.ask('confirmAccount', {
    body: { token: tokenIn(mail.text), password: 'correct horse battery' },
  });
  expect(said(shown)).toEqual([401, 'invalid_one_time_token']);
});
