/** Keys and tokens over HTTP to real nodes. Spec: docs/contract/identity.md. */
import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { PublicProtocol } from 'paseto';
import { PublicKeyFromCryptoKey, VerifyFactory } from 'paseto/v4/public';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OTHER_TENANT, TENANT } from '#test/kit/platform-file.ts';
import { startTestNode, type Answer, type Headers, type TestNode } from '#test/kit/test-node.ts';

interface Issued {
  readonly id: string;
  readonly key: string;
  readonly expires_at: string;
  readonly capabilities: object;
}

const ULID = /^[0-9A-HJKMNP-TV-Z]{26}$/;
const DAY_MS = 24 * 60 * 60_000;
const key = (text: string): Headers => ({ Authorization: `ApiKey ${text}` });

let it: TestNode;
/** A bearer of the tenant, without a position. */
let bearer: Headers;
let admin: string;
beforeAll(async () => {
  it = await startTestNode();
  admin = await keyOf({ is_superadmin: true, roles: ['tenant_admin'] });
  bearer = { Authorization: (await it.service())['Authorization']! };
});
afterAll(() => it.stop());

async function keyOf(capabilities: object, tenant = TENANT): Promise<string> {
  return ((await it.node.ask(tenant, 'identity', 'key.issue', { capabilities })) as { key: string }).key;
}

const here = (headers: Headers = {}): Headers => ({ ...it.position(), ...headers });
const issue = (headers: Headers, body: unknown = {}): Promise<Answer> => it.call('POST', '/auth/apikey', headers, body);
const revoke = (headers: Headers, id: string): Promise<Answer> => it.call('DELETE', `/auth/apikey/${id}`, headers);
const exchange = (headers: Headers, query = ''): Promise<Answer> => it.call('POST', `/auth/token${query}`, headers);
const codeOf = (answer: Answer): [number, string] => [answer.status, (answer.json as { code: string }).code];

describe('the order of checks', () => {
  test.each([
    ['nothing else right', {}, '{'],
    ['an unknown position', { 'X-Customer': 'no', 'X-Product': 'no', 'X-Env': 'no', 'X-Tenant': 'no' }, '{'],
    ['another scheme', { Authorization: 'Basic YTpi' }, '{'],
    ['an empty credential', { Authorization: 'Bearer ' }, '{'],
  ])('no credential comes before anything: %s', async (_name, headers, body) => {
    expect(codeOf(await issue(headers as Headers, body))).toEqual([401, 'auth_required']);
    expect(codeOf(await revoke(headers as Headers, 'x'))).toEqual([401, 'auth_required']);
    const exchanged = await exchange(headers);
    expect(codeOf(exchanged)).toEqual([401, 'apikey_required']);
    expect(exchanged.headers.get('www-authenticate')).toBe('Bearer, ApiKey');
  });

  test('a key without a position: 401 no_tenant, whatever the body', async () => {
    expect(codeOf(await issue(key(it.apiKey), '{'))).toEqual([401, 'no_tenant']);
    expect(codeOf(await revoke(key(it.apiKey), 'x'))).toEqual([401, 'no_tenant']);
    expect(codeOf(await exchange(key(it.serviceKey)))).toEqual([401, 'no_tenant']);
    const { 'X-Env': _, ...three } = it.position();
    expect(codeOf(await issue({ ...three, ...key(it.apiKey) }))).toEqual([401, 'no_tenant']);
  });

  test('a bearer without a position: its body first, then 400 no_tenant', async () => {
    expect(codeOf(await issue(bearer, '{'))).toEqual([400, 'bad_request']);
    expect(codeOf(await issue(bearer, { capabilities: { scope: ['no grant'] } }))).toEqual([400, 'bad_request']);
    expect(codeOf(await issue(bearer))).toEqual([400, 'no_tenant']);
    expect(codeOf(await revoke(bearer, 'x'))).toEqual([400, 'no_tenant']);
  });

  test('a bearer does not exchange: 401 apikey_required', async () => {
    expect(codeOf(await exchange(here(bearer)))).toEqual([401, 'apikey_required']);
  });

  test.each([
    ['unknown', { 'X-Tenant': 'absent' }],
    ['malformed', { 'X-Tenant': 'ABSENT' }],
  ])('a position that is %s: 400 invalid tenant', async (_name, wrong) => {
    for (const credential of [key(it.apiKey), bearer]) {
      const answer = await issue({ ...here(credential), ...(wrong as Headers) });
      expect(answer.status).toBe(400);
      expect(answer.json).toMatchObject({ error: 'invalid tenant' });
    }
  });

  test('a configured tenant that is not provisioned: 500 engine_unavailable', async () => {
    const answer = await issue({ ...here(key(it.apiKey)), 'X-Tenant': 'sleeping' });
    expect(codeOf(answer)).toEqual([500, 'engine_unavailable']);
  });

  test.each([
    ['/auth/login', { login: 'a@example.org', password: 'x' }],
    ['/auth/refresh', { refresh_token: 'x' }],
    ['/auth/logout', { refresh_token: 'x' }],
    ['/auth/password/reset', { login: 'a@example.org' }],
    ['/auth/password/reset/confirm', { token: 'x', password: 'correct horse' }],
    ['/auth/magic-link', { login: 'a@example.org' }],
    ['/auth/magic-link/consume', { token: 'x' }],
    ['/auth/code', { login: 'a@example.org' }],
    ['/auth/code/consume', { login: 'a@example.org', code: '12345678' }],
  ])('%s at a configured tenant that is not provisioned is 403, no fault of the server', async (path, body) => {
    const answer = await it.call('POST', path, it.position('acme:shop:dev:sleeping'), body);
    expect(codeOf(answer)).toEqual([403, 'tenant_inactive']);
    const start = await it.call('GET', '/auth/oauth/corp/start', it.position('acme:shop:dev:sleeping'));
    expect(codeOf(start)).toEqual([403, 'tenant_inactive']);
  });

  test.each([
    ['no dot', 'abc'],
    ['an unknown id', '01ARZ3NDEKTSV4RRFFQ69G5FAV.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
    ['nothing', '.'],
  ])('a key with %s: 401 invalid_api_key, the same envelope', async (_name, text) => {
    const answer = await issue(here(key(text)), '{');
    expect(codeOf(answer)).toEqual([401, 'invalid_api_key']);
    expect(answer.text).toBe((await issue(here(key(`${it.apiKey}x`)))).text);
  });

  test('a key of one tenant does not exist in another', async () => {
    const answer = await issue({ ...it.position(OTHER_TENANT), ...key(it.apiKey) });
    expect(codeOf(answer)).toEqual([401, 'invalid_api_key']);
  });

  test('an invalid bearer: 401 invalid_token', async () => {
    expect(codeOf(await issue(here({ Authorization: 'Bearer v4.public.AAAA' })))).toEqual([401, 'invalid_token']);
  });
});

describe('issue', () => {
  test('201 with id, key, expiry and capabilities; the key works at once', async () => {
    const before = Date.now();
    const answer = await issue(here(key(it.apiKey)), { capabilities: { roles: ['tenant_user'] }, expires_in_days: 2 });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const issued = answer.json as Issued;
    expect(issued.id).toMatch(ULID);
    expect(issued.key).toMatch(new RegExp(`^${issued.id}\\.[A-Za-z0-9_-]{43}$`));
    expect(issued.capabilities).toEqual({ roles: ['tenant_user'] });
    expect(Date.parse(issued.expires_at)).toBeGreaterThanOrEqual(before + 2 * DAY_MS);
    expect(Date.parse(issued.expires_at)).toBeLessThanOrEqual(Date.now() + 2 * DAY_MS);
    expect((await issue(here(key(issued.key)))).status).toBe(201);
  });

  test.each([[undefined], [0], [-3]])('expires_in_days %s is a year', async (days) => {
    const answer = await issue(here(key(it.apiKey)), { expires_in_days: days });
    const expiry = Date.parse((answer.json as Issued).expires_at);
    expect(Math.round((expiry - Date.now()) / DAY_MS)).toBe(365);
  });

  test.each([
    ['roles', { roles: ['tenant_admin'] }],
    ['scope', { scope: ['acme:dev:shop:*'] }],
    ['is_superadmin', { is_superadmin: true }],
  ])('403 names the channel that goes too far: %s', async (channel, capabilities) => {
    const answer = await issue(here(key(it.apiKey)), { capabilities });
    expect(codeOf(answer)).toEqual([403, 'scope_exceeds_authority']);
    expect((answer.json as { error: string }).error).toContain(channel);
  });

  test('a superadmin key confers all three; its own tenant covers a grant there', async () => {
    const capabilities = { roles: ['anything'], scope: ['acme:dev:shop:main'], is_superadmin: true };
    const answer = await issue(here(key(admin)), { capabilities });
    expect([answer.status, answer.json]).toMatchObject([201, { capabilities }]);
  });

  test.each([
    '[]',
    '"x"',
    '{"expires_in_days":1.5}',
    '{"capabilities":{"roles":"x"}}',
    '{"a":1,"a":2}',
    '{"__proto__":{}}',
  ])('400 bad_request: %s', async (body) =>
    expect(codeOf(await issue(here(key(it.apiKey)), body))).toEqual([400, 'bad_request']),
  );
});

describe('revoke', () => {
  test('ok for a key, for it again, and for one that never was', async () => {
    const { id } = (await issue(here(key(it.apiKey)))).json as Issued;
    for (const one of [id, id, 'never'])
      expect([(await revoke(here(key(it.apiKey)), one)).status, (await revoke(here(bearer), one)).json]).toEqual([
        200,
        { ok: true },
      ]);
  });

  test('without an id: 400 missing_id', async () => {
    expect(codeOf(await it.call('DELETE', '/auth/apikey', here(bearer)))).toEqual([400, 'missing_id']);
  });

  test('takes effect on the next request, however many are under way', async () => {
    const issued = (await issue(here(key(it.apiKey)), { capabilities: { roles: ['tenant_user'] } })).json as Issued;
    let revoked = false;
    const late: number[] = [];
    const early: number[] = [];
    const caller = async (): Promise<void> => {
      for (let after = 0; after < 3;) {
        const sentAfter = revoked;
        const { status } = await issue(here(key(issued.key)));
        (sentAfter ? late : early).push(status);
        if (sentAfter) after++;
      }
    };
    const callers = Array.from({ length: 16 }, caller);
    await expect.poll(() => early.length).toBeGreaterThan(20);
    expect((await revoke(here(bearer), issued.id)).status).toBe(200);
    revoked = true;
    await Promise.all(callers);
    expect(early.filter((status) => status !== 201 && status !== 401)).toEqual([]);
    expect(new Set(late)).toEqual(new Set([401]));
  });

  test('a revoked service key cannot be exchanged; its token lives on until it expires', async () => {
    const text = await keyOf({ scope: ['acme:dev:shop:main'] });
    const token = ((await exchange(here(key(text)))).json as { token: string }).token;
    await revoke(here(bearer), text.split('.')[0]!);
    expect(codeOf(await exchange(here(key(text))))).toEqual([401, 'invalid_api_key']);
    expect((await it.call('GET', '/data/rest/item', here({ Authorization: `Bearer ${token}` }))).status).toBe(200);
  });
});

describe('exchange', () => {
  test('a token that the published keys verify, with the stated claims', async () => {
    const answer = await exchange(here(key(it.serviceKey)), '?audience=data');
    expect(answer.status).toBe(200);
    const { token, token_type, expires_in } = answer.json as { token: string; token_type: string; expires_in: number };
    expect([token_type, expires_in]).toEqual(['Bearer', 900]);
    const jwks = await it.call('GET', '/.well-known/jwks.json');
    expect(jwks.status).toBe(200);
    const { keys } = jwks.json as { keys: (JsonWebKey & { kid: string })[] };
    expect(keys).toHaveLength(1);
    expect(keys[0]).toEqual({
      kty: 'OKP',
      crv: 'Ed25519',
      use: 'sig',
      alg: 'EdDSA',
      x: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      kid: expect.stringMatching(/^k4\.pid\./),
    });
    const published = createPublicKey({ key: keys[0]!, format: 'jwk' });
    const cryptoKey = published.toCryptoKey({ name: 'Ed25519' }, true, ['verify']);
    const verified = await new PublicProtocol(VerifyFactory).Verify(await PublicKeyFromCryptoKey(cryptoKey), token);
    const claims = verified.claims as Record<string, unknown>;
    const sub = `apikey:${it.serviceKey.split('.')[0]!}`;
    expect(claims).toEqual({
      iss: 'iam',
      sub,
      type: 'service',
      tenant: TENANT,
      scope: ['acme:dev:shop:main'],
      aud: 'data',
      iat: expect.any(String),
      nbf: expect.any(String),
      exp: expect.any(String),
    });
    expect(Date.parse(claims['exp'] as string) - Date.parse(claims['iat'] as string)).toBe(900_000);
    const footer = Buffer.from(token.split('.')[3]!, 'base64url').toString();
    expect(JSON.parse(footer)).toEqual({ kid: keys[0]!.kid });
  });

  test('the token opens data at its position, and there only', async () => {
    const token = ((await exchange(here(key(it.serviceKey)))).json as { token: string }).token;
    const headers = { Authorization: `Bearer ${token}` };
    expect((await it.call('GET', '/data/rest/item', here(headers))).status).toBe(200);
    const elsewhere = await it.call('GET', '/data/rest/item', { ...it.position(OTHER_TENANT), ...headers });
    expect([elsewhere.status, elsewhere.text]).toEqual([401, 'Unauthorized']);
  });

  test('a key without scope: 403 not_a_service_key', async () => {
    expect(codeOf(await exchange(here(key(it.apiKey))))).toEqual([403, 'not_a_service_key']);
    const empty = await keyOf({ scope: [] });
    expect(codeOf(await exchange(here(key(empty))))).toEqual([403, 'not_a_service_key']);
  });
});

describe('on its own listener', () => {
  test('the same paths, and neither health nor readiness', async () => {
    const own = it.node.listeners['identity']!;
    expect((await it.call('POST', '/auth/apikey', here(key(it.apiKey)), {}, own)).status).toBe(201);
    expect((await it.call('GET', '/.well-known/jwks.json', {}, undefined, own)).status).toBe(200);
    for (const path of ['/health', '/ready', '/data/rest/item'])
      expect((await it.call('GET', path, {}, undefined, own)).status).toBe(404);
  });
});

describe('bootstrap', () => {
  const wish = { token: 'bootstrap-secret', email: 'root@example.org', password: 'correct horse battery' };

  test('is for the holder of the token, once; many at once are one; a restart does not open it again', async () => {
    const first = await startTestNode();
    const ask = (node: TestNode, body: unknown): Promise<Answer> => node.call('POST', '/auth/bootstrap', {}, body);
    expect(codeOf(await ask(first, { ...wish, token: 'bootstrap-secreT' }))).toEqual([401, 'bootstrap_denied']);
    expect(codeOf(await ask(first, { ...wish, email: undefined }))).toEqual([400, 'bad_request']);
    expect(codeOf(await ask(first, '{'))).toEqual([400, 'bad_request']);
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask(first, wish)));
    const made = answers.filter((answer) => answer.status === 201);
    expect(made.map((answer) => answer.json)).toEqual([{ id: expect.stringMatching(ULID), email: wish.email }]);
    expect(answers.filter((answer) => codeOf(answer)[1] === 'bootstrap_closed')).toHaveLength(7);
    expect(codeOf(await ask(first, { ...wish, token: 'wrong' }))).toEqual([410, 'bootstrap_closed']);
    await first.node.stop();

    const again = await startTestNode({ dir: first.dir });
    expect(codeOf(await ask(again, wish))).toEqual([410, 'bootstrap_closed']);
    await again.stop();
    await first.stop().catch(() => undefined);
  });
});

describe('rate limits', () => {
  test('auth_apikey: fifteen, then 429 in its own shape; per tenant; without a credential, too', async () => {
    const node = await startTestNode({ rates: '' });
    const asked = (headers: Headers): Promise<Answer> => node.call('POST', '/auth/apikey', headers, '{');
    const mine = { ...node.position(), ...key(node.apiKey) };
    const statuses = (await Promise.all(Array.from({ length: 18 }, () => asked(mine)))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 400)).toHaveLength(15);
    expect(statuses.filter((status) => status === 429)).toHaveLength(3);

    const limited = await asked(mine);
    const { retry_after_seconds: seconds } = limited.json as { retry_after_seconds: number };
    expect(limited.status).toBe(429);
    expect(limited.json).toEqual({ error: 'rate_limited', profile: 'auth_apikey', retry_after_seconds: seconds });
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(seconds).toBeLessThanOrEqual(4);
    expect(limited.headers.get('retry-after')).toBe(String(seconds));
    expect(limited.headers.get('x-ratelimit-limit')).toBe('15');
    expect(limited.headers.get('x-ratelimit-remaining')).toBe('0');
    expect((await asked({ ...node.position(OTHER_TENANT), ...key(node.apiKey) })).status).toBe(401);
    expect((await node.call('POST', '/auth/token', mine)).status).toBe(403);
    // One of the fifteen of the other tenant is taken.
    const strangers = await Promise.all(Array.from({ length: 17 }, () => asked(node.position(OTHER_TENANT))));
    expect(strangers.filter(({ status }) => status === 401)).toHaveLength(14);
    expect(strangers.filter(({ status }) => status === 429)).toHaveLength(3);
    await node.stop();
  });
});
