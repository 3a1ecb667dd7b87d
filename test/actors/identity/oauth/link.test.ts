/** Accounts at providers that a user links and unlinks. Spec: docs/contract/identity-users.md §8.10. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TABLES } from '#storage/catalogue.ts';
import { Table } from '#storage/table.ts';
import { limits } from '#config/limits.ts';
import type { OAuthProvider, ProductDefinition } from '#config/definitions/product.ts';
import { findLink, putLink, readLinks } from '#actors/identity/oauth/store.ts';
import { putUser } from '#actors/identity/store.ts';
import { startOpenIdProvider, type OpenIdProvider } from '#test/kit/openid-provider.ts';
import { EMAIL, PASSWORD } from '#test/kit/users.ts';
import { accountWorld, GRACE, type AccountWorld } from '../account/kit.ts';
import { proofFor, said } from '../passkey/kit.ts';
import { providerRow } from './kit.ts';

const MANAGED = { sessions: { mode: 'managed' } } as const;
const CLOUD = 'ada@cloud.example';

let corp: OpenIdProvider;
beforeAll(async () => void (corp = await startOpenIdProvider()));
beforeEach(() => {
  corp.accounts.clear();
  corp.accounts.set('ada', { email: CLOUD, email_verified: true });
  corp.accounts.set('shy', {});
});
afterAll(() => corp.stop());

type Settings = ProductDefinition['settings'];

function linkWorld(settings: Settings = MANAGED, changes: Partial<OAuthProvider> = {}): AccountWorld {
  const row = () => providerRow(corp.issuer, changes);
  const oauth = { providers: { corp: row(), twin: row() } };
  return accountWorld({}, { ...settings, oauth }, { outbound: { allowPrivate: [corp.host] } });
}

/** Ada with a password, who has logged in just now. */
async function ada(settings?: Settings, changes?: Partial<OAuthProvider>) {
  const world = linkWorld(settings, changes);
  const id = await world.addUser();
  return { world, id, authorization: await world.loggedIn(EMAIL) };
}

type More = { readonly body?: object; readonly extra?: string };
const begin = (world: AccountWorld, authorization: string, more: More = {}, id = 'corp') =>
  world.ask('startLink', { authorization, id, ...more });

async function atProvider(world: AccountWorld, authorization: string, subject = 'ada', more: More = {}) {
  const started = await begin(world, authorization, more);
  if (started.status !== 200) throw new Error(started.text);
  return Object.fromEntries(await corp.signIn(started.body['authorization_url'] as string, subject));
}
const finish = (world: AccountWorld, authorization: string, body: object, id = 'corp') =>
  world.ask('finishLink', { authorization, id, body });

async function link(world: AccountWorld, authorization: string, subject = 'ada', more: More = {}) {
  return finish(world, authorization, await atProvider(world, authorization, subject, more));
}
async function signIn(world: AccountWorld, subject = 'ada', id = 'corp') {
  const { body } = await world.ask('startOauth', { id });
  const query = await corp.signIn(body['authorization_url'] as string, subject);
  return world.ask('finishOauth', { id, query: query.toString() });
}
const list = async (world: AccountWorld, authorization: string) =>
  (await world.ask('listIdentities', { authorization })).body['identities'];
const remove = (world: AccountWorld, authorization: string, extra = '', id = 'corp') =>
  world.ask('removeIdentity', { authorization, id, extra });
const keyOf = (sub: string, provider = 'corp') => ({ provider, issuer: corp.issuer, sub });
const whose = (world: AccountWorld, sub: string) => findLink(world.store.begin(), keyOf(sub))?.user_id;

describe('a user who links an account', () => {
  test('logs in with it from then on, sees it in the list, and gets a notice', async () => {
    const { world, id, authorization } = await ada();
    expect(await list(world, authorization)).toEqual([]);
    const linked = await link(world, authorization);
    const shown = { provider: 'corp', email: CLOUD, created_at: expect.any(String) as string };
    expect([linked.status, linked.body]).toEqual([200, shown]);
    expect(await list(world, authorization)).toEqual([shown]);
    expect(whose(world, 'ada')).toBe(id);
    const notice = (await world.takeMail()).at(-1)!;
    expect(notice).toMatchObject({ to: EMAIL, subject: 'Another way to log in was added' });
    expect(notice.text).toContain('corp');
    expect((await signIn(world)).status).toBe(200);
    expect(world.users()).toHaveLength(1);
    expect(world.user(id)).toMatchObject({ email: EMAIL });
    expect(world.user(id)?.verified_at).toBeUndefined();
  });

  test('needs no address: one that is not verified links nothing by itself, and is not kept', async () => {
    const { world, id, authorization } = await ada({ ...MANAGED }, { link: 'email_verified' });
    await world.addUser(GRACE);
    corp.accounts.set('shy', { email: GRACE, email_verified: false });
    expect((await link(world, authorization, 'shy')).body).toMatchObject({ email: null });
    expect(whose(world, 'shy')).toBe(id);
  });

  test('twice gets the same answer, and one notice', async () => {
    const { world, authorization } = await ada();
    const bodies = [await atProvider(world, authorization), await atProvider(world, authorization)];
    const answers = await Promise.all(bodies.map((body) => finish(world, authorization, body)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[0]!.body).toEqual(answers[1]!.body);
    expect(await world.takeMail()).toHaveLength(1);
  });

  test('has one account at a provider: another one is refused at the start and at the end', async () => {
    const { world, authorization } = await ada();
    const other = await atProvider(world, authorization, 'shy');
    await link(world, authorization);
    expect(said(await begin(world, authorization))).toEqual([409, 'provider_linked']);
    expect(said(await finish(world, authorization, other))).toEqual([409, 'provider_linked']);
    expect(whose(world, 'shy')).toBeUndefined();
    expect((await begin(world, authorization, {}, 'twin')).status).toBe(200);
  });

  test('is refused an account that logs another user in', async () => {
    const { world, id, authorization } = await ada();
    corp.accounts.set('grace', { email: GRACE, email_verified: true });
    expect((await signIn(world, 'grace')).status).toBe(200);
    expect(said(await link(world, authorization, 'grace'))).toEqual([409, 'identity_taken']);
    expect(whose(world, 'grace')).toBe(world.userNamed(GRACE)!.id);
    expect(readLinks(world.store.begin(), id)).toEqual([]);
  });

  test('may take the account of a user who is gone', async () => {
    const { world, id, authorization } = await ada();
    const turn = world.store.begin();
    putLink(turn, keyOf('ada'), { user_id: 'GONE', created_at: '' });
    turn.commit();
    expect((await link(world, authorization)).status).toBe(200);
    expect(whose(world, 'ada')).toBe(id);
  });
});

describe('the state', () => {
  test('counts once, for the user and in the session that began', async () => {
    const { world, authorization } = await ada();
    const other = await world.loggedIn(EMAIL);
    await world.addUser(GRACE);
    const grace = await world.loggedIn(GRACE);
    const body = await atProvider(world, authorization);
    for (const thief of [grace, other]) expect(said(await finish(world, thief, body))).toEqual([400, 'invalid_state']);
    expect(said(await finish(world, authorization, body, 'twin'))).toEqual([400, 'invalid_state']);
    expect((await finish(world, authorization, body)).status).toBe(200);
    expect(said(await finish(world, authorization, body))).toEqual([400, 'invalid_state']);
  });

  test('is no sign-in, and that of a sign-in links nothing', async () => {
    const { world, authorization } = await ada();
    const linking = await atProvider(world, authorization);
    const query = new URLSearchParams(linking).toString();
    expect(said(await world.ask('finishOauth', { id: 'corp', query }))).toEqual([400, 'invalid_state']);
    const { body } = await world.ask('startOauth', { id: 'corp' });
    const signing = await corp.signIn(body['authorization_url'] as string, 'ada');
    expect(said(await finish(world, authorization, Object.fromEntries(signing)))).toEqual([400, 'invalid_state']);
    expect((await finish(world, authorization, linking)).status).toBe(200);
  });

  test('ends after ten minutes, and with the session', async () => {
    const { world, authorization } = await ada();
    const late = await atProvider(world, authorization);
    world.clock.advance(limits.oauth.stateMs);
    expect(said(await finish(world, authorization, late))).toEqual([400, 'invalid_state']);
    const fresh = await world.loggedIn(EMAIL);
    const body = await atProvider(world, fresh);
    corp.interfere = (request) => {
      // While the provider is asked for the tokens the user logs out.
      if (request.url === '/token') void world.ask('logout', { authorization: fresh });
      return false;
    };
    expect(said(await finish(world, fresh, body))).toEqual([401, 'invalid_token']);
    corp.interfere = null;
    expect(whose(world, 'ada')).toBeUndefined();
  });

  test('in a stateless tenant is bound to the user', async () => {
    const { world, authorization } = await ada({});
    await world.addUser(GRACE);
    const more = { extra: proofFor(world, authorization) };
    const body = await atProvider(world, authorization, 'ada', more);
    expect(said(await finish(world, await world.loggedIn(GRACE), body))).toEqual([400, 'invalid_state']);
    expect((await finish(world, authorization, body)).status).toBe(200);
  });
});

describe('a proof', () => {
  test('is needed where the login is not fresh; a stolen token links and unlinks nothing', async () => {
    const { world, authorization } = await ada();
    await link(world, authorization);
    world.clock.advance(limits.account.freshLoginMs);
    for (const answer of [await begin(world, authorization, {}, 'twin'), await remove(world, authorization)]) {
      expect(said(answer)).toEqual([403, 'proof_required']);
      expect(answer.body['details']).toEqual({ methods: ['password', 'login'] });
    }
    const { body } = await world.ask('giveProof', { authorization, body: { password: PASSWORD } });
    const extra = `x-skep-proof:${String(body['proof'])}\n`;
    expect((await begin(world, authorization, { extra }, 'twin')).status).toBe(200);
    expect((await remove(world, authorization, extra)).status).toBe(200);
  });
});

describe('an account that is unlinked', () => {
  test('no longer logs the user in, its owner gets a notice, and another user may link it', async () => {
    const { world, authorization } = await ada();
    await link(world, authorization);
    await world.takeMail();
    expect(await remove(world, authorization)).toMatchObject({ status: 200, body: { ok: true } });
    expect(await list(world, authorization)).toEqual([]);
    expect((await world.takeMail()).at(-1)).toMatchObject({ to: EMAIL, subject: 'A way to log in was taken away' });
    expect(said(await remove(world, authorization))).toEqual([404, 'unknown_identity']);
    await world.addUser(GRACE);
    expect((await link(world, await world.loggedIn(GRACE))).status).toBe(200);
  });

  test('is not the last way to log in: another provider, a password or a passkey is one', async () => {
    const world = linkWorld();
    const { body } = await signIn(world);
    const authorization = `Bearer ${String(body['access_token'])}`;
    expect(said(await remove(world, authorization))).toEqual([409, 'last_login_way']);
    corp.accounts.set('work', {});
    const started = await begin(world, authorization, {}, 'twin');
    const at = await corp.signIn(started.body['authorization_url'] as string, 'work');
    expect((await finish(world, authorization, Object.fromEntries(at), 'twin')).status).toBe(200);
    expect((await remove(world, authorization)).status).toBe(200);
    expect(said(await remove(world, authorization, '', 'twin'))).toEqual([409, 'last_login_way']);
    const user = world.userNamed(CLOUD)!;
    const turn = world.store.begin();
    putUser(turn, { ...user, password_hash: 'a hash' });
    turn.commit();
    expect((await remove(world, authorization, '', 'twin')).status).toBe(200);
  });

  test('counts as a way only where the product still has the provider, under its issuer', async () => {
    const { world, id, authorization } = await ada();
    const turn = world.store.begin();
    putUser(turn, { ...world.user(id)!, password_hash: '' });
    putLink(turn, keyOf('a'), { user_id: id, created_at: '' });
    putLink(turn, keyOf('a', 'gone'), { user_id: id, created_at: '' });
    putLink(turn, { ...keyOf('a', 'twin'), issuer: 'https://former.example' }, { user_id: id, created_at: '' });
    turn.commit();
    expect(said(await remove(world, authorization))).toEqual([409, 'last_login_way']);
    expect((await remove(world, authorization, '', 'gone')).status).toBe(200);
  });
});

describe('an administrator', () => {
  test('sees the linked accounts of a user, and unlinks one, but not the last way in', async () => {
    const { world, id, authorization } = await ada();
    await link(world, authorization);
    await world.addUser('boss@example.org', ['tenant_admin']);
    const admin = await world.loggedIn('boss@example.org');
    const shown = async () => (await world.ask('showUser', { authorization: admin, id })).body['identities'];
    expect(await shown()).toMatchObject([{ provider: 'corp', email: CLOUD }]);
    const unlink = (user: string) => world.ask('unlinkProvider', { authorization: admin, id: `${user}\ncorp` });
    expect(said(await world.ask('unlinkProvider', { authorization, id: `${id}\ncorp` }))).toEqual([
      403,
      'requires_tenant_admin',
    ]);
    await world.takeMail();
    expect((await unlink(id)).status).toBe(200);
    expect(await shown()).toEqual([]);
    expect((await world.takeMail()).map(({ to }) => to)).toContain(EMAIL);
    const changed = world.events.filter(({ action }) => action === 'auth.user.changed').at(-1);
    expect(changed).toMatchObject({ target: id, data: { unlinked: 'corp' } });
    expect(said(await unlink(id))).toEqual([404, 'unknown_identity']);
    corp.accounts.set('grace', { email: GRACE, email_verified: true });
    await signIn(world, 'grace');
    expect(said(await unlink(world.userNamed(GRACE)!.id))).toEqual([409, 'last_login_way']);
  });
});

describe('the index of links', () => {
  /** As a Skep of before the index wrote it. */
  function oldLink(world: AccountWorld, sub: string, user: string): void {
    const turn = world.store.begin();
    new Table('oauth_link', TABLES.oauth_link).put(
      turn,
      { user_id: user, created_at: '2026-01-01T00:00:00.000Z' },
      'corp',
      corp.issuer,
      sub,
    );
    turn.commit();
  }

  test('gets the links of before it, in slices; those of users who are gone end', async () => {
    const { world, id, authorization } = await ada();
    const many = limits.people.indexSliceRows + 3;
    for (let i = 0; i < many; i++) oldLink(world, `gone-${String(i).padStart(4, '0')}`, 'GONE');
    oldLink(world, 'é\u0000ü', id);
    const asked = list(world, authorization);
    for (let i = 0; i < 5; i++) {
      await Promise.resolve();
      world.settle();
    }
    expect(await asked).toEqual([{ provider: 'corp', email: null, created_at: '2026-01-01T00:00:00.000Z' }]);
    expect(whose(world, 'gone-0000')).toBeUndefined();
    expect(whose(world, `gone-${many - 1}`)).toBeUndefined();
    expect(whose(world, 'é\u0000ü')).toBe(id);
  });

  test('a deletion of the account takes the links along, those of before too', async () => {
    const { world, authorization, id } = await ada();
    oldLink(world, 'old', id);
    await link(world, authorization, 'ada', { extra: proofFor(world, authorization) }).catch(() => undefined);
    expect((await world.ask('deleteMe', { authorization, body: { password: PASSWORD } })).status).toBe(200);
    expect(whose(world, 'old')).toBeUndefined();
    expect([...new Table('oauth_link', TABLES.oauth_link).scan(world.store.begin())]).toEqual([]);
  });
});

describe('an address that a sign-in links by itself', () => {
  test('is told to its owner', async () => {
    const { world, id } = await ada(MANAGED, { link: 'email_verified' });
    corp.accounts.set('ada', { email: EMAIL, email_verified: true });
    expect((await signIn(world)).status).toBe(200);
    expect(whose(world, 'ada')).toBe(id);
    expect((await world.takeMail()).at(-1)).toMatchObject({ to: EMAIL, subject: 'Another way to log in was added' });
    await signIn(world);
    expect(await world.takeMail()).toHaveLength(1);
  });
});

describe('a return address', () => {
  const MORE = 'https://app.example.org/account';

  test.each(['startOauth', 'startLink'] as const)('of %s is one of the declared, to the letter', async (name) => {
    const { world, authorization } = await ada(MANAGED, { redirect_uris: [MORE] });
    const ask = (wanted?: string) =>
      name === 'startOauth'
        ? world.ask(name, {
            id: 'corp',
            query: wanted === undefined ? '' : `redirect_uri=${encodeURIComponent(wanted)}`,
          })
        : begin(world, authorization, wanted === undefined ? {} : { body: { redirect_uri: wanted } });
    const leads = async (wanted?: string) => {
      const { body } = await ask(wanted);
      return new URL(body['authorization_url'] as string).searchParams.get('redirect_uri');
    };
    expect(await leads()).toBe('https://app.example.org/signed-in');
    expect(await leads('https://app.example.org/signed-in')).toBe('https://app.example.org/signed-in');
    expect(await leads(MORE)).toBe(MORE);
    for (const wanted of [`${MORE}/`, `${MORE}?a=1`, MORE.toUpperCase(), 'https://evil.example/account', ''])
      expect([wanted, ...said(await ask(wanted))]).toEqual([wanted, 400, 'invalid_redirect_uri']);
  });

  test('that comes twice is none', async () => {
    const { world } = await ada(MANAGED, { redirect_uris: [MORE] });
    const query = new URLSearchParams([
      ['redirect_uri', MORE],
      ['redirect_uri', 'https://evil.example/'],
    ]).toString();
    expect(said(await world.ask('startOauth', { id: 'corp', query }))).toEqual([400, 'invalid_redirect_uri']);
  });
});

test('events name user, provider and outcome, and hold no code, state or address', async () => {
  const { world, id, authorization } = await ada();
  world.events.splice(0);
  const body = await atProvider(world, authorization);
  await finish(world, authorization, body);
  await finish(world, authorization, body);
  await list(world, authorization);
  await remove(world, authorization);
  const ended = world.events.filter(({ action }) => action.endsWith('.after'));
  expect(ended.map(({ action, outcome }) => `${action} ${outcome}`)).toEqual([
    'auth.provider_start.after ok',
    'auth.provider_link.after ok',
    'auth.provider_link.after invalid_state',
    'auth.provider_list.after ok',
    'auth.provider_unlink.after ok',
  ]);
  for (const event of ended) expect(event).toMatchObject({ actor: id, target: id });
  for (const at of [0, 1, 4]) expect(ended[at]!.data).toEqual({ provider: 'corp' });
  const text = JSON.stringify(world.events);
  for (const secret of [body['code']!, body['state']!, CLOUD]) expect(text).not.toContain(secret);
});

test.each(['listIdentities', 'startLink', 'finishLink', 'removeIdentity'] as const)(
  '%s is the user’s alone: no key, no service, no impersonation',
  async (name) => {
    const { world, id } = await ada();
    const ask = (authorization: string) => world.ask(name, { authorization, id: 'corp', body: {} });
    for (const mode of ['full', 'readonly'] as const)
      expect(said(await ask(world.impersonating(id, mode)))).toEqual([403, 'account_denied']);
    expect(said(await ask(world.key({ roles: ['tenant_admin'] })))).toEqual([401, 'auth_required']);
    expect((await ask('')).status).toBe(401);
  },
);
