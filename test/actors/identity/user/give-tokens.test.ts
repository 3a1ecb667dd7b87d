/** Tokens in cookies, as the door asks for them: docs/contract/identity-cookies.md §1. */
import { describe, expect, test } from 'vitest';
import { EMAIL, PASSWORD, UserWorld } from '#test/kit/users.ts';
import type { Answer } from '#test/kit/identity-call.ts';

const ASKED = ':cookies:1\n';
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Lax';

const valueOf = (answer: Answer, name: string): string =>
  answer.cookies
    .find((line) => line.startsWith(`__Host-skep-${name}=`))!
    .split(';')[0]!
    .split('=')[1]!;

async function loggedIn(): Promise<{ world: UserWorld; answer: Answer }> {
  const world = new UserWorld();
  await world.addUser();
  return { world, answer: await world.login({}, ASKED) };
}

const refreshBy = (world: UserWorld, token: string, body?: unknown): Promise<Answer> =>
  world.ask('refresh', { extra: `${ASKED}:refresh:${token}\n`, body });

describe('a login', () => {
  test('has its tokens in cookies alone, which scripts cannot read and no other host gets', async () => {
    const { answer } = await loggedIn();
    expect([answer.status, answer.body]).toEqual([200, { expires_in: 900 }]);
    expect(answer.headers).toEqual({ 'Cache-Control': 'no-store' });
    expect(answer.cookies).toEqual([
      expect.stringMatching(new RegExp(`^__Host-skep-access=v4\\.public\\.[\\w.-]+; Max-Age=900; ${ATTRIBUTES}$`)),
      expect.stringMatching(new RegExp(`^__Host-skep-refresh=[\\w.-]+; Max-Age=2592000; ${ATTRIBUTES}$`)),
    ]);
  });

  test('without the door’s word has them in its body, and sets no cookie', async () => {
    const { world } = await loggedIn();
    const answer = await world.login();
    expect(answer.cookies).toEqual([]);
    expect(Object.keys(answer.body)).toEqual(['access_token', 'token_type', 'expires_in', 'refresh_token']);
  });

  test('that fails sets none', async () => {
    const { world } = await loggedIn();
    const answer = await world.login({ password: 'wrong horse' }, ASKED);
    expect([answer.status, answer.cookies]).toEqual([401, []]);
  });

  test('whose token no cookie can hold is refused, and opens nothing', async () => {
    const world = new UserWorld();
    await world.addUser(
      EMAIL,
      Array.from({ length: 80 }, (_, at) => `role-${'x'.repeat(40)}-${at}`),
    );
    const answer = await world.login({ password: PASSWORD }, ASKED);
    expect([answer.status, answer.code, answer.cookies]).toEqual([500, 'mint_failed', []]);
    expect(answer.text).toContain('larger than a cookie');
    expect((await world.login()).status).toBe(200);
  });
});

describe('a refresh', () => {
  test('takes the token of the cookie and replaces both cookies; its body is not read', async () => {
    const { world, answer } = await loggedIn();
    const next = await refreshBy(world, valueOf(answer, 'refresh'), 'no JSON');
    expect([next.status, next.body, next.cookies.length]).toEqual([200, { expires_in: 900 }, 2]);
    expect(valueOf(next, 'refresh')).not.toBe(valueOf(answer, 'refresh'));
  });

  test('of two tabs at once gives both the same successor', async () => {
    const { world, answer } = await loggedIn();
    const token = valueOf(answer, 'refresh');
    const [one, other] = [await refreshBy(world, token), await refreshBy(world, token)];
    expect([one.status, other.status]).toEqual([200, 200]);
    expect(valueOf(one, 'refresh')).toBe(valueOf(other, 'refresh'));
  });

  test('without a cookie is 401, and does not fall back to a body', async () => {
    const { world } = await loggedIn();
    const { body } = await world.login();
    const answer = await world.ask('refresh', { extra: ASKED, body: { refresh_token: body['refresh_token'] } });
    expect([answer.status, answer.code, answer.cookies]).toEqual([401, 'invalid_refresh_token', []]);
  });

  test('by a body never reads the cookie', async () => {
    const { world } = await loggedIn();
    const answer = await world.ask('refresh', { body: {} });
    expect([answer.status, answer.code]).toEqual([400, 'bad_request']);
  });
});

describe('a logout', () => {
  const GONE = [`__Host-skep-access=; Max-Age=0; ${ATTRIBUTES}`, `__Host-skep-refresh=; Max-Age=0; ${ATTRIBUTES}`];

  test('ends the login of the cookie, and takes the cookies away', async () => {
    const { world, answer } = await loggedIn();
    const token = valueOf(answer, 'refresh');
    const out = await world.ask('logout', { extra: `${ASKED}:refresh:${token}\n` });
    expect([out.status, out.body, out.cookies]).toEqual([200, { ok: true }, GONE]);
    expect(out.headers).toEqual({ 'Cache-Control': 'no-store' });
    expect((await refreshBy(world, token)).status).toBe(401);
  });

  test('with a token that counts no more takes them away all the same', async () => {
    const { world } = await loggedIn();
    const out = await world.ask('logout', { extra: `${ASKED}:refresh:gone\n` });
    expect([out.status, out.cookies]).toEqual([200, GONE]);
  });

  test('without cookies sets none', async () => {
    const { world } = await loggedIn();
    const { body } = await world.login();
    const out = await world.ask('logout', { body: { refresh_token: body['refresh_token'] } });
    expect([out.status, out.cookies]).toEqual([200, []]);
  });
});
