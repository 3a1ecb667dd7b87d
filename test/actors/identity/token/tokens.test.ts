/** Looking tokens up and ending them. Spec: docs/contract/identity-tokens.md; RFC 7662, RFC 7009. */
import { describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { routes } from '#actors/identity/routes.ts';
import { IN_COOKIES, INACTIVE_TENANT, NO_POSITION, UNKNOWN_POSITION } from '#actors/protocol/frame.ts';
import { mintToken } from '#actors/kit/token/mint.ts';
import { EMAIL, PASSWORD, UserWorld } from '#test/kit/users.ts';

const FORM = 'content-type:application/x-www-form-urlencoded\n';
const HERE = 'acme:atlas:dev:main';
const GRANT = 'acme:dev:atlas:main';
const INACTIVE = { status: 200, text: '{"active":false}' };
const MANAGED = { settings: { sessions: { mode: 'managed' } } } as const;

async function withUser(options: ConstructorParameters<typeof UserWorld>[0] = {}) {
  const world = new UserWorld(options);
  const id = await world.addUser();
  const { body } = await world.login();
  const tokens = { access: body['access_token'] as string, refresh: body['refresh_token'] as string };
  return { world, id, sid: body['session_id'] as string, ...tokens };
}

/** A service token, with these grants. */
const service = (world: UserWorld, scope = [GRANT], claims: object = {}): string => {
  const exp = '2999-01-01T00:00:00Z';
  return mintToken(world.ring, { iss: 'iam', sub: 'K', type: 'service', tenant: HERE, scope, exp, ...claims });
};

const introspect = (world: UserWorld, token: unknown, authorization = `Bearer ${service(world)}`) =>
  world.ask('introspect', { authorization, body: { token } });
const revoke = (world: UserWorld, token: unknown) => world.ask('revoke', { body: { token } });

describe('POST /auth/introspect', () => {
  test('tells what an access token says; JSON and form give the same', async () => {
    const { world, id, access, sid } = await withUser(MANAGED);
    const answer = await introspect(world, access);
    expect(answer).toMatchObject({ status: 200, headers: { 'Cache-Control': 'no-store' } });
    const now = world.clock.now() / 1000;
    expect(answer.body).toEqual({
      active: true,
      token_type: 'Bearer',
      iss: 'iam',
      sub: id,
      type: 'user',
      tenant: HERE,
      roles: ['tenant_user'],
      sid,
      iat: now,
      exp: now + 900,
    });
    const authorization = `Bearer ${service(world)}`;
    const body = `token=${encodeURIComponent(access)}&token_type_hint=access_token&more=x`;
    expect((await world.ask('introspect', { authorization, body, extra: FORM })).text).toBe(answer.text);
  });

  test('a service token, its grants as scope; a refresh token, until when it lives', async () => {
    const { world, id, refresh } = await withUser();
    expect((await introspect(world, service(world, [GRANT, '*:dev:*:*']))).body).toMatchObject({
      active: true,
      type: 'service',
      sub: 'K',
      scope: `${GRANT} *:dev:*:*`,
    });
    const now = world.clock.now() / 1000;
    expect((await introspect(world, refresh)).body).toEqual({
      active: true,
      token_type: 'refresh_token',
      iss: 'iam',
      sub: id,
      type: 'user',
      tenant: HERE,
      roles: ['tenant_user'],
      iat: now,
      exp: now + limits.identity.refreshTokenMs / 1000,
    });
  });

  test('everything else is not active, and no answer says why', async () => {
    const { world, access } = await withUser();
    const other = { tenant: 'acme:atlas:dev:other' };
    const foreign = [
      world.bearer([], { sub: 'U', ...other }).slice(7),
      service(world, ['acme:dev:atlas:other'], other),
      service(world, []),
      service(world, [GRANT], { exp: '2020-01-01T00:00:00Z' }),
      world.bearer([], { sub: 'no-user-has-this-id' }).slice(7),
      world.key().slice(7),
      `${access.slice(0, -2)}xx`,
      'x',
      'v4.public.AAAA',
      '01ARZ3NDEKTSV4RRFFQ69G5FAV.1.' + 'A'.repeat(43),
    ];
    for (const token of foreign) expect(await introspect(world, token), token).toMatchObject(INACTIVE);
    world.clock.advance(901_000);
    expect(await introspect(world, access)).toMatchObject(INACTIVE);
  });

  test('the end of a session, a logout and a new password end the tokens of a login here, too', async () => {
    const { world, access, refresh } = await withUser(MANAGED);
    await world.ask('logout', { authorization: `Bearer ${access}`, body: {} });
    expect(await introspect(world, access)).toMatchObject(INACTIVE);
    expect(await introspect(world, refresh)).toMatchObject(INACTIVE);
  });

  test('a used refresh token is not active, and showing it here ends no login', async () => {
    const { world, refresh } = await withUser();
    const next = (await world.refresh(refresh)).body['refresh_token'];
    for (let i = 0; i < 3; i++) expect(await introspect(world, refresh)).toMatchObject(INACTIVE);
    expect((await introspect(world, next)).body['active']).toBe(true);
    expect((await world.refresh(next)).status).toBe(200);
  });

  test('an impersonation names who acts; without its session it is nothing', async () => {
    const { world, id } = await withUser();
    const act = { sub: 'O', mode: 'full' };
    expect(await introspect(world, world.bearer([], { sub: id, act }).slice(7))).toMatchObject(INACTIVE);
  });

  test.each([
    ['a service token of here', (world: UserWorld) => `Bearer ${service(world)}`, 200],
    ['a service key', (world: UserWorld) => world.key({ scope: [GRANT] }), 200],
    ['an administrator', (world: UserWorld) => world.bearer(['tenant_admin']), 200],
    ['a key without grants', (world: UserWorld) => world.key({ roles: ['tenant_admin'] }), 403],
    ['a user', (world: UserWorld) => world.bearer(['tenant_user']), 403],
    ['a service token of elsewhere', (world: UserWorld) => `Bearer ${service(world, ['acme:dev:atlas:other'])}`, 401],
    ['an administrator of elsewhere', (world: UserWorld) => world.bearer(['tenant_admin'], { tenant: 'a:b:c:d' }), 401],
    ['the shown token alone', () => '', 401],
  ])('may be asked by: %s', async (_, authorization, status) => {
    const { world, access } = await withUser();
    const answer = await introspect(world, access, authorization(world));
    expect(answer.status).toBe(status);
    if (status !== 200) expect(answer.text).not.toContain('active');
  });

  test.each([
    ['{}', ''],
    ['{"token":7}', ''],
    ['', ''],
    ['token=', FORM],
    ['token=x&token=y', FORM],
    ['tokn=x', FORM],
    [`token=${'x'.repeat(limits.identity.shownTokenCharsMax + 1)}`, FORM],
    ['token=x', ''],
  ])('%.30j is bad_request', async (body, extra) => {
    const { world } = await withUser();
    for (const name of ['introspect', 'revoke'] as const)
      expect(await world.ask(name, { authorization: `Bearer ${service(world)}`, body, extra })).toMatchObject({
        status: 400,
        code: 'bad_request',
      });
  });
});

describe('POST /auth/revoke', () => {
  test('a refresh token ends its login, and its session; a second time is 200, too', async () => {
    const { world, access, refresh } = await withUser(MANAGED);
    const body = `token=${refresh}&token_type_hint=refresh_token`;
    expect(await world.ask('revoke', { body, extra: FORM })).toMatchObject({ status: 200, body: { ok: true } });
    expect((await world.refresh(refresh)).code).toBe('invalid_refresh_token');
    expect(await introspect(world, access)).toMatchObject(INACTIVE);
    expect((await revoke(world, refresh)).status).toBe(200);
  });

  test('an access token with a session ends that session and no other', async () => {
    const { world, id, access, refresh, sid } = await withUser(MANAGED);
    const other = (await world.login()).body;
    expect((await revoke(world, access)).status).toBe(200);
    expect((await world.refresh(refresh)).code).toBe('invalid_refresh_token');
    expect((await introspect(world, other['access_token'])).body['active']).toBe(true);
    expect((await world.refresh(other['refresh_token'])).status).toBe(200);
    const told = world.events.filter(({ action }) => action === 'auth.token_revoke.after');
    expect(told).toMatchObject([{ outcome: 'ok', actor: id, target: id, session: sid }]);
    expect(JSON.stringify(world.events)).not.toContain(access);
  });

  test('a used refresh token ends its login as well: it is proof of that login', async () => {
    const { world, refresh } = await withUser();
    const next = (await world.refresh(refresh)).body['refresh_token'];
    expect((await revoke(world, refresh)).status).toBe(200);
    expect((await world.refresh(next)).code).toBe('invalid_refresh_token');
  });

  test('what cannot be ended is said, with the error of the standard, and still counts', async () => {
    const { world, access } = await withUser();
    for (const token of [access, service(world)]) {
      const answer = await revoke(world, token);
      expect(answer).toMatchObject({ status: 400, body: { error: 'unsupported_token_type' } });
      expect((await introspect(world, token)).body['active']).toBe(true);
    }
  });

  test('what this position does not take is 200, and stays what it is elsewhere', async () => {
    const { world } = await withUser();
    const foreign = service(world, ['acme:dev:atlas:other']);
    for (const token of ['x', foreign, `${'0'.repeat(26)}.1.${'A'.repeat(43)}`])
      expect(await revoke(world, token)).toMatchObject({ status: 200, text: '{"ok":true}' });
    expect((await world.login({ login: EMAIL, password: PASSWORD })).status).toBe(200);
  });
});

describe('GET /.well-known/skep', () => {
  test('tells how users log in here, without a secret', async () => {
    const corp = {
      issuer: 'https://corp.example',
      client_id: 'id',
      client_secret: 'hush',
      scopes: [],
      redirect_uri: 'https://shop.example/back',
      roles: [],
      link: 'none',
    } as const;
    const { world } = await withUser({ settings: { ...MANAGED.settings, oauth: { providers: { corp } } } });
    const answer = await world.ask('discover');
    expect(answer).toMatchObject({
      status: 200,
      headers: { 'Cache-Control': 'no-store' },
      body: {
        issuer: 'iam',
        tenant: HERE,
        jwks_uri: '/.well-known/jwks.json',
        providers: ['corp'],
        sessions: 'managed',
        sign_up: 'closed',
        passkeys: false,
        endpoints: { login: '/auth/login', code: '/auth/code', oauth_start: '/auth/oauth/{provider}/start' },
      },
    });
    expect(answer.text).not.toMatch(/hush|client_id|corp\.example/);
  });

  test('a position without mail, providers and sessions has none of their endpoints', async () => {
    const world = new UserWorld({}, false);
    const { body } = await world.ask('discover');
    expect(body).toMatchObject({ providers: [], sessions: 'stateless', sign_up: 'closed' });
    const endpoints = body['endpoints'] as object;
    for (const name of ['code', 'magic_link', 'password_reset', 'oauth_start', 'sign_up'])
      expect(endpoints).not.toHaveProperty(name);
  });

  test('every endpoint that it names is a route of this service', async () => {
    const accounts = { sign_up: 'open', roles: [] } as const;
    const passkeys = {
      rp_id: 'x.example',
      rp_name: 'x',
      origins: ['https://x.example'],
      user_verification: 'preferred',
    };
    const oauth = { providers: { corp: {} as never } };
    const world = new UserWorld({ settings: { accounts, oauth, passkeys: passkeys as never } });
    const { endpoints } = (await world.ask('discover')).body as { endpoints: Record<string, string> };
    const paths = new Set<string>(Object.values(routes).map(({ path }) => path));
    expect(Object.values(endpoints).filter((path) => !paths.has(path) && path !== '/auth/apikey')).toEqual([]);
    expect(endpoints).toMatchObject({ account: '/auth/me', account_provider: '/auth/me/oauth/{provider}' });
    expect(endpoints).toMatchObject({ passkey_login_begin: '/auth/webauthn/login/begin', proof: '/auth/proof' });
    expect(endpoints).toMatchObject({ account_email: '/auth/me/email', sign_up: '/auth/sign-up' });
  });

  test('says whether pages of this host may hold their tokens in cookies', async () => {
    const world = new UserWorld();
    expect((await world.ask('discover')).body).toMatchObject({ cookies: false });
    expect((await world.ask('discover', { extra: `${IN_COOKIES}:1\n` })).body).toMatchObject({ cookies: true });
  });

  test('says whether strangers may sign up, and where', async () => {
    const accounts = { sign_up: 'open', roles: [] } as const;
    const world = new UserWorld({ settings: { accounts } });
    const closed = (await world.ask('discover')).body;
    expect(closed).toMatchObject({ sign_up: 'open' });
  });
});

test.each([
  [NO_POSITION, 400, 'no_tenant'],
  [UNKNOWN_POSITION, 400, 'invalid tenant'],
  [INACTIVE_TENANT, 403, 'tenant_inactive'],
])('at place %i: %i %s', async (tenantNo, status, error) => {
  const { world } = await withUser();
  const asked = [
    await world.ask('revoke', { body: { token: 'x' }, tenantNo }),
    await world.ask('discover', { tenantNo }),
  ];
  for (const answer of asked) {
    expect(answer.status).toBe(status);
    expect(answer.text).toContain(error);
  }
});
