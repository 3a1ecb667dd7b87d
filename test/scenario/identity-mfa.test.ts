/** The second factor and signing in with a provider, over HTTP to a real node. Spec: docs/contract/identity-users.md §3.1. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CLIENT, REDIRECT_URI, startOpenIdProvider, type OpenIdProvider } from '#test/kit/openid-provider.ts';
import { OTHER_TENANT, TENANT } from '#test/kit/platform-file.ts';
import { startTestNode, type Answer, type Headers, type TestNode } from '#test/kit/test-node.ts';

const ADA = { login: 'ada@example.org', password: 'correct horse battery' };
const SECRET_NAME = 'SKEP_TEST_OAUTH_SECRET';

let corp: OpenIdProvider;
let checkout: string;
let dir: string;
let it: TestNode;

/** The shop, whose users may sign in with `corp`. */
function shopWith(issuer: string): string {
  const copy = mkdtempSync(join(tmpdir(), 'skep-shop-'));
  cpSync(fileURLToPath(new URL('../kit/products/shop/', import.meta.url)), copy, { recursive: true });
  const provider = { issuer, ...CLIENT, client_secret: `\${${SECRET_NAME}}`, redirect_uri: REDIRECT_URI };
  const oauth = { providers: { corp: { ...provider, roles: ['tenant_user'], link: 'email_verified' } } };
  const accounts = { sign_up: 'closed' };
  writeFileSync(
    join(copy, 'product.yaml'),
    `name: shop\naccounts: ${JSON.stringify(accounts)}\noauth: ${JSON.stringify(oauth)}\n`,
  );
  return copy;
}

const startNode = (): Promise<TestNode> =>
  startTestNode({ dir, localdir: checkout, extra: `outbound: { allow_private: ["${corp.host}"] }` });

beforeAll(async () => {
  corp = await startOpenIdProvider();
  process.env[SECRET_NAME] = CLIENT.client_secret;
  checkout = shopWith(corp.issuer);
  dir = mkdtempSync(join(tmpdir(), 'skep-test-'));
  it = await startNode();
  await it.node.ask(TENANT, 'identity', 'user.ensure', { ...ADA, roles: ['tenant_user'] });
});
afterAll(async () => {
  await it.stop();
  await corp.stop();
  delete process.env[SECRET_NAME];
  for (const path of [dir, checkout]) rmSync(path, { recursive: true, force: true });
});

const post = (path: string, headers: Headers, body?: unknown): Promise<Answer> =>
  it.call('POST', path, { ...it.position(), ...headers }, body);
const get = (path: string, tenant = TENANT): Promise<Answer> => it.call('GET', path, it.position(tenant));
const login = (otp?: string): Promise<Answer> => post('/auth/login', {}, { ...ADA, otp });
const bodyOf = (answer: Answer): Record<string, never> => answer.json;
const codeOf = (answer: Answer): [number, string | undefined] => [answer.status, bodyOf(answer)['code']];
const tally = (answers: readonly Answer[]): number[] => answers.map(({ status }) => status).toSorted((a, b) => a - b);

/** The code of a secret, `steps` away from now. */
function totp(secret: string, steps = 0): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 });
}

describe('a user with an authenticator app', () => {
  let bearer: Headers;
  let recoveryCodes: string[];

  test('enrols: setup, then enable with a first code', async () => {
    bearer = { Authorization: `Bearer ${bodyOf(await login())['access_token']}` };
    const setup = bodyOf(await post('/auth/mfa/totp/setup', bearer));
    // A wrong code does not enable.
    expect(codeOf(await post('/auth/mfa/totp/enable', bearer, { code: 'abcdef' }))).toEqual([400, 'invalid_code']);
    const enabled = await post('/auth/mfa/totp/enable', bearer, { code: totp(setup['secret']!) });
    expect(enabled.status).toBe(200);
    expect(enabled.headers.get('cache-control')).toBe('no-store');
    recoveryCodes = bodyOf(enabled)['recovery_codes']!;
    expect(codeOf(await login())).toEqual([401, 'mfa_required']);
    expect(codeOf(await login('abcdef'))).toEqual([401, 'invalid_credentials']);
    // The next step's code is within the window. Of parallel logins with one code, one wins.
    const code = totp(setup['secret']!, 1);
    expect(tally(await Promise.all([1, 2, 3, 4].map(() => login(code))))).toEqual([200, 401, 401, 401]);
  });

  test('logs in with a recovery code instead, once', async () => {
    const [first, second] = recoveryCodes as [string, string];
    expect(tally(await Promise.all([1, 2, 3].map(() => login(first))))).toEqual([200, 401, 401]);
    expect((await login(second)).status).toBe(200);
  });

  test('is asked after a restart too, and a code that was used stays used', async () => {
    await it.stop();
    it = await startNode();
    expect(codeOf(await login())).toEqual([401, 'mfa_required']);
    expect(codeOf(await login(recoveryCodes[0]))).toEqual([401, 'invalid_credentials']);
    expect((await login(recoveryCodes[2])).status).toBe(200);
  });

  test('renews the recovery codes, and disables with a key that stands for the user', async () => {
    const renewed = await post('/auth/mfa/recovery-codes', bearer, { code: recoveryCodes[3] });
    const fresh: string[] = bodyOf(renewed)['recovery_codes']!;
    const { key } = bodyOf(await post('/auth/apikey', bearer, {}));
    const asKey = { Authorization: `ApiKey ${key}` };
    expect(codeOf(await post('/auth/mfa/totp/disable', asKey, { code: recoveryCodes[4] }))).toEqual([
      400,
      'invalid_code',
    ]);
    expect((await post('/auth/mfa/totp/disable', asKey, { code: fresh[0] })).status).toBe(200);
    expect((await login()).status).toBe(200);
  });

  test('a factor that a key enrolled asks for nothing until the user confirms it with the password; an operator resets it', async () => {
    const key = bodyOf(await post('/auth/apikey', bearer, {}))['key']!;
    const asKey = { Authorization: `ApiKey ${key as string}` };
    const secret: string = bodyOf(await post('/auth/mfa/totp/setup', asKey))['secret']!;
    expect((await post('/auth/mfa/totp/enable', asKey, { code: totp(secret) })).status).toBe(200);
    // The holder of the key has not locked the user out.
    expect((await login()).status).toBe(200);
    expect(codeOf(await login('000000'))).toEqual([401, 'invalid_credentials']);
    expect((await login()).status).toBe(200);
    // A code beside the password confirms it.
    expect((await login(totp(secret, 1))).status).toBe(200);
    expect(codeOf(await login())).toEqual([401, 'mfa_required']);
    const change = { user: ADA.login, reset_second_factor: true };
    await it.node.ask(TENANT, 'identity', 'user.set', change);
    expect((await login()).status).toBe(200);
  });

  test("the user's own login replaces what a key enrolled", async () => {
    const key = bodyOf(await post('/auth/apikey', bearer, {}))['key']!;
    const asKey = { Authorization: `ApiKey ${key as string}` };
    const foreign: string = bodyOf(await post('/auth/mfa/totp/setup', asKey))['secret']!;
    await post('/auth/mfa/totp/enable', asKey, { code: totp(foreign) });
    const own: string = bodyOf(await post('/auth/mfa/totp/setup', bearer))['secret']!;
    expect((await post('/auth/mfa/totp/enable', bearer, { code: totp(own) })).status).toBe(200);
    expect(codeOf(await login())).toEqual([401, 'mfa_required']);
    expect((await login(totp(own, 1))).status).toBe(200);
    await it.node.ask(TENANT, 'identity', 'user.set', { user: ADA.login, reset_second_factor: true });
  });

  test('a key that no user of the tenant issued enrols itself', async () => {
    const setup = await post('/auth/mfa/totp/setup', { Authorization: `ApiKey ${it.apiKey}` });
    expect([setup.status, Object.keys(bodyOf(setup))]).toEqual([200, ['secret', 'otpauth_uri']]);
  });

  test.each(['begin', 'finish'])('WebAuthn %s is disabled, with and without a body or a position', async (step) => {
    const path = `/auth/webauthn/register/${step}`;
    expect(codeOf(await post(path, {}, {}))).toEqual([503, 'webauthn_disabled']);
    expect(codeOf(await it.call('POST', path))).toEqual([503, 'webauthn_disabled']);
    expect(codeOf(await post(path, { Authorization: 'Bearer x' }))).toEqual([503, 'webauthn_disabled']);
  });
});

describe('a user of the provider', () => {
  const started = async (tenant = TENANT): Promise<string> =>
    bodyOf(await get('/auth/oauth/corp/start', tenant))['authorization_url']!;
  const callback = (query: URLSearchParams, tenant = TENANT): Promise<Answer> =>
    get(`/auth/oauth/corp/callback?${query.toString()}`, tenant);

  beforeAll(() => {
    corp.accounts.set('eve', { email: 'eve@example.org', email_verified: true });
    corp.accounts.set('ada', { email: ADA.login, email_verified: true });
  });

  test('signs in, and the token counts at every service', async () => {
    const query = await corp.signIn(await started(), 'eve');
    const answers = await Promise.all([1, 2, 3].map(() => callback(query)));
    expect(tally(answers)).toEqual([200, 400, 400]);
    const tokens = bodyOf(answers.find(({ status }) => status === 200)!);
    const headers = { ...it.position(), Authorization: `Bearer ${tokens['access_token']}` };
    expect((await it.call('GET', '/data/rest/item', headers)).status).toBe(200);
    expect((await post('/auth/refresh', {}, { refresh_token: tokens['refresh_token'] })).status).toBe(200);
    expect(codeOf(await callback(query))).toEqual([400, 'invalid_state']);
  });

  test('is the user who has the address, where the product links', async () => {
    const answer = await callback(await corp.signIn(await started(), 'ada'));
    const subject = (token: string): string => JSON.parse(payload(token))['sub'];
    expect(subject(bodyOf(answer)['access_token']!)).toBe(subject(bodyOf(await login())['access_token']!));
  });

  test('is linked by a user who proves to be there, and ends in the session that began it', async () => {
    const owner = { login: 'grace@example.org', password: 'a horse that is correct' };
    await it.node.ask(TENANT, 'identity', 'user.ensure', { ...owner, roles: ['tenant_user'] });
    const bearer = { Authorization: `Bearer ${bodyOf(await post('/auth/login', {}, owner))['access_token']}` };
    expect(codeOf(await post('/auth/proof', bearer, { password: 'guessed wrong' }))).toEqual([
      401,
      'invalid_credentials',
    ]);
    const proven = await post('/auth/proof', bearer, { password: owner.password });
    expect([proven.status, bodyOf(proven)['expires_in']]).toEqual([200, 300]);
    const link = '/auth/me/oauth/corp/link';
    expect(codeOf(await post(link, bearer, {}))).toEqual([403, 'proof_required']);
    const begun = await post(link, { ...bearer, 'X-Skep-Proof': bodyOf(proven)['proof']! }, {});
    const query = Object.fromEntries(await corp.signIn(bodyOf(begun)['authorization_url']!, 'grace'));
    const { code, state } = query;
    const linked = await post('/auth/me/oauth/corp/callback', bearer, { code, state });
    expect([linked.status, linked.json]).toMatchObject([200, { provider: 'corp', email: null }]);
    const own = bodyOf(await it.call('GET', '/auth/me/oauth', { ...it.position(), ...bearer }));
    expect(own).toEqual({ identities: [linked.json] });
    expect(codeOf(await post('/auth/me/oauth/corp/callback', bearer, { code, state }))).toEqual([400, 'invalid_state']);
    const signedIn = bodyOf(await callback(await corp.signIn(await started(), 'grace')));
    const me = await it.call('GET', '/auth/me', {
      ...it.position(),
      Authorization: `Bearer ${signedIn['access_token']}`,
    });
    expect(bodyOf(me)['email']).toBe(owner.login);
  });

  test('counts only in the tenant where the login began', async () => {
    const query = await corp.signIn(await started(OTHER_TENANT), 'eve');
    expect(codeOf(await callback(query))).toEqual([400, 'invalid_state']);
    expect((await callback(query, OTHER_TENANT)).status).toBe(200);
  });

  test('finds no provider that is not declared, and no place without a position', async () => {
    for (const step of ['start', 'callback?code=a&state=b']) {
      const unknown = await get(`/auth/oauth/other/${step}`);
      expect([unknown.status, unknown.text]).toEqual([404, '']);
      expect(codeOf(await it.call('GET', `/auth/oauth/corp/${step}`))).toEqual([400, 'no_tenant']);
    }
  });

  test('says so when the provider does not answer', async () => {
    const query = await corp.signIn(await started(), 'eve');
    corp.interfere = (_request, response) => {
      response.destroy();
      return true;
    };
    expect(codeOf(await callback(query))).toEqual([502, 'oauth_unavailable']);
    corp.interfere = null;
  });
});

/** The claims of a PASETO v4.public token: its payload less the signature. */
function payload(token: string): string {
  return Buffer.from(token.split('.')[2]!, 'base64url').subarray(0, -64).toString();
}
