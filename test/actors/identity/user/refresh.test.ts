/** `POST /auth/refresh` and `POST /auth/logout`. Spec: docs/contract/identity-users.md §1.2. */
import { describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { putUser } from '#actors/identity/store.ts';
import { readFamilies } from '#actors/identity/user/store.ts';
import { derivedSecret } from '#actors/kit/secret.ts';
import { FullStore } from '#test/kit/identity-call.ts';
import { UserWorld } from '#test/kit/users.ts';

const REUSED = { status: 401, code: 'refresh_reused' };
const INVALID = { status: 401, code: 'invalid_refresh_token' };

async function loggedIn(options: ConstructorParameters<typeof UserWorld>[0] = {}) {
  const world = new UserWorld(options);
  const id = await world.addUser();
  const { body } = await world.login();
  return { world, id, token: body['refresh_token'] as string, access: body['access_token'] as string };
}

const next = async (world: UserWorld, token: string) => {
  const { status, body } = await world.refresh(token);
  expect(status).toBe(200);
  return body['refresh_token'] as string;
};

describe('POST /auth/refresh', () => {
  test('rotates: new tokens, the old one is used up', async () => {
    const { world, token } = await loggedIn();
    world.clock.advance(1000);
    const { status, body, headers } = await world.refresh(token);
    expect(status).toBe(200);
    expect(headers).toMatchObject({ 'Cache-Control': 'no-store' });
    expect(body['refresh_token']).not.toBe(token);
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 900 });
  });

  test('a reused token revokes its family, and no other', async () => {
    const { world, token } = await loggedIn();
    const other = (await world.login()).body['refresh_token'] as string;
    const newest = await next(world, await next(world, token));
    expect(await world.refresh(token)).toMatchObject(REUSED);
    expect(await world.refresh(newest)).toMatchObject(INVALID);
    expect(await world.refresh(token)).toMatchObject(REUSED);
    await next(world, other);
  });

  test('many at once, as the tabs of a browser are, get the same successor, and it is good', async () => {
    const { world, id, token } = await loggedIn();
    const answers = await Promise.all(Array.from({ length: 20 }, () => world.refresh(token)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
    const successors = new Set(answers.map(({ body }) => body['refresh_token'] as string));
    expect(successors.size).toBe(1);
    const [successor] = successors;
    await next(world, successor!);
    expect(readFamilies(world.store.begin(), id)[0]!.ended_at).toBeNull();
  });

  test.each([
    ['once its successor was used', async (world: UserWorld, newest: string) => void (await next(world, newest))],
    ['once its grace is over', (world: UserWorld) => world.clock.advance(limits.identity.refreshGraceMs)],
  ])('a token that was used ends its family %s', async (_when, then) => {
    const { world, token } = await loggedIn();
    const newest = await next(world, token);
    await then(world, newest);
    expect(await world.refresh(token)).toMatchObject(REUSED);
    expect(await world.refresh(newest)).toMatchObject(INVALID);
  });

  test('a session that ended within the grace gives nothing', async () => {
    const { world, token } = await loggedIn();
    const newest = await next(world, token);
    await world.ask('logout', { body: { refresh_token: newest } });
    expect(await world.refresh(token)).toMatchObject(INVALID);
  });

  test('what is stored of a family does not make a token: its parent is wanted, too', async () => {
    const { world, id, token } = await loggedIn();
    const newest = await next(world, token);
    const { grace } = readFamilies(world.store.begin(), id)[0]!;
    expect(newest.endsWith(derivedSecret(token.split('.')[2]!, grace!.nonce))).toBe(true);
    expect(newest.endsWith(derivedSecret('', grace!.nonce))).toBe(false);
  });

  test('the revocation is kept although the answer is a refusal', async () => {
    const { world, id, token } = await loggedIn();
    await next(world, token);
    world.clock.advance(limits.identity.refreshGraceMs);
    await world.refresh(token);
    expect(readFamilies(world.store.begin(), id)[0]!.ended_at).toBe(new Date(world.clock.now()).toISOString());
  });

  test.each(['', 'x', '.', '..', 'A'.repeat(26), `${'0'.repeat(26)}.1.${'A'.repeat(43)}`])(
    'what never was a token (%j) is refused and revokes nothing',
    async (text) => {
      const { world, token } = await loggedIn();
      const answer = await world.refresh(text);
      expect(answer).toMatchObject(text === '' ? { status: 400, code: 'bad_request' } : INVALID);
      await next(world, token);
    },
  );

  test('a wrong secret, number or family revokes nothing', async () => {
    const { world, token } = await loggedIn();
    const [family, no, secret] = token.split('.') as [string, string, string];
    const turned = secret.startsWith('A') ? `B${secret.slice(1)}` : `A${secret.slice(1)}`;
    for (const text of [`${family}.${no}.${turned}`, `${family}.2.${secret}`, `${family}.0.${secret}`, `${token}=`])
      expect(await world.refresh(text)).toMatchObject(INVALID);
    await next(world, token);
  });

  test('lives its time and no longer, whatever is refreshed ends with its login', async () => {
    const { refreshTokenMs, refreshFamilyMs } = limits.identity;
    const first = await loggedIn();
    first.world.clock.advance(refreshTokenMs - 1);
    let token = await next(first.world, first.token);
    first.world.clock.advance(refreshTokenMs);
    expect(await first.world.refresh(token)).toMatchObject(INVALID);

    const second = await loggedIn();
    token = second.token;
    for (let at = refreshTokenMs - 1; at < refreshFamilyMs; at += refreshTokenMs - 1) {
      second.world.clock.advance(refreshTokenMs - 1);
      token = await next(second.world, token);
    }
    second.world.clock.advance(3);
    expect(await second.world.refresh(token)).toMatchObject(INVALID);
  });

  test('roles are the user’s as they stand; a deleted user refreshes nothing', async () => {
    const { world, id, token } = await loggedIn();
    const turn = world.store.begin();
    putUser(turn, { ...world.user(id)!, roles: ['tenant_viewer'] });
    turn.commit();
    const { body } = await world.refresh(token);
    const [, , payload] = (body['access_token'] as string).split('.');
    expect(Buffer.from(payload!, 'base64url').toString('latin1')).toContain('"roles":["tenant_viewer"]');
  });

  test('only digests lie in the store', async () => {
    const { world, id, token } = await loggedIn();
    const secret = token.split('.')[2]!;
    const all = [...world.store.begin().range('', '\xff')];
    expect(all.length).toBeGreaterThan(3);
    for (const { key, value } of all) expect(key + Buffer.from(value).toString('latin1')).not.toContain(secret);
    expect(readFamilies(world.store.begin(), id)).toHaveLength(1);
  });

  test('a full disk rotates nothing: the token still counts', async () => {
    const store = new FullStore();
    const { world, token } = await loggedIn({ store });
    store.full = 'disk';
    expect(await world.refresh(token)).toMatchObject({ status: 500, code: 'issue_failed' });
    store.full = null;
    await next(world, token);
  });

  test('remembers so many used tokens; an older one is merely invalid', async () => {
    const { world, id, token } = await loggedIn();
    let newest = token;
    for (let i = 0; i <= limits.identity.refreshTombstonesMax; i++) newest = await next(world, newest);
    expect(await world.refresh(token)).toMatchObject(INVALID);
    await next(world, newest);
    expect(readFamilies(world.store.begin(), id)[0]!.ended_at).toBeNull();
  });

  test('a session that ended refreshes nothing; reuse ends the session', async () => {
    const { world, token } = await loggedIn({ settings: { sessions: { mode: 'managed' } } });
    const { body } = await world.refresh(token);
    const authorization = `Bearer ${body['access_token'] as string}`;
    expect((await world.ask('listSessions', { authorization, body: {} })).body['count']).toBe(1);
    world.clock.advance(limits.identity.refreshGraceMs);
    expect(await world.refresh(token)).toMatchObject(REUSED);
    expect((await world.ask('listSessions', { authorization, body: {} })).code).toBe('invalid_token');
    expect(await world.refresh(body['refresh_token'])).toMatchObject(INVALID);
  });

  test('logins of one user that can refresh are bounded: the oldest ends', async () => {
    const { world, id, token } = await loggedIn();
    const turn = world.store.begin();
    turn.abort();
    for (let i = 0; i < 3; i++) {
      const shown = (await world.login()).body['refresh_token'] as string;
      await world.ask('logout', { body: { refresh_token: shown } });
    }
    await world.login();
    expect(readFamilies(world.store.begin(), id)).toHaveLength(2);
    await next(world, token);
  });
});

describe('POST /auth/logout', () => {
  test('ends the login of the refresh token, also of a used one, and no other', async () => {
    const { world, token } = await loggedIn();
    const other = (await world.login()).body['refresh_token'] as string;
    const newest = await next(world, token);
    expect(await world.ask('logout', { body: { refresh_token: token } })).toMatchObject({
      status: 200,
      body: { ok: true },
    });
    expect(await world.refresh(newest)).toMatchObject(INVALID);
    await next(world, other);
  });

  test('an unknown token is logged out already', async () => {
    const { world, token } = await loggedIn();
    expect((await world.ask('logout', { body: { refresh_token: 'nothing' } })).status).toBe(200);
    await next(world, token);
  });

  test('a bearer without a session ends every login of its user', async () => {
    const { world, token, access } = await loggedIn();
    const other = (await world.login()).body['refresh_token'] as string;
    expect((await world.ask('logout', { authorization: `Bearer ${access}` })).status).toBe(200);
    expect(await world.refresh(token)).toMatchObject(INVALID);
    expect(await world.refresh(other)).toMatchObject(INVALID);
  });

  test('a bearer with a session ends that session only', async () => {
    const { world, token, access } = await loggedIn({ settings: { sessions: { mode: 'managed' } } });
    const other = (await world.login()).body['refresh_token'] as string;
    const authorization = `Bearer ${access}`;
    expect((await world.ask('logout', { authorization })).status).toBe(200);
    expect((await world.ask('listSessions', { authorization, body: {} })).code).toBe('invalid_token');
    expect(await world.refresh(token)).toMatchObject(INVALID);
    await next(world, other);
  });

  test('no credential: 401 auth_required; a malformed bearer: invalid_token, unless a refresh token is shown', async () => {
    const { world, token } = await loggedIn();
    expect(await world.ask('logout', {})).toMatchObject({ status: 401, code: 'auth_required' });
    expect(await world.ask('logout', { authorization: world.key() })).toMatchObject({
      status: 401,
      code: 'auth_required',
    });
    const authorization = 'Bearer v4.public.x';
    expect(await world.ask('logout', { authorization })).toMatchObject({ status: 401, code: 'invalid_token' });
    expect((await world.ask('logout', { authorization, body: { refresh_token: token } })).status).toBe(200);
    expect(await world.refresh(token)).toMatchObject(INVALID);
  });
});
