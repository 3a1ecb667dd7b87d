/** Passkeys over HTTP at a real node: docs/contract/identity-users.md §3.2. What an authenticator may say wrongly: test/actors/identity/passkey/. */
import { appendFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OTHER_TENANT, TENANT } from '#test/kit/platform-file.ts';
import { SoftAuthenticator, type CreationOptions, type RequestOptions } from '#test/kit/soft-authenticator.ts';
import { startTestNode, type Answer, type Headers, type TestNode } from '#test/kit/test-node.ts';

const ADA = { login: 'ada@example.org', password: 'correct horse battery' };
const device = new SoftAuthenticator({ counts: true });

let checkout: string;
let dir: string;
let it: TestNode;

const startNode = (): Promise<TestNode> => startTestNode({ dir, localdir: checkout });

beforeAll(async () => {
  checkout = mkdtempSync(join(tmpdir(), 'skep-shop-'));
  cpSync(fileURLToPath(new URL('../kit/products/shop/', import.meta.url)), checkout, { recursive: true });
  const passkeys = { rp_id: 'example.org', rp_name: 'Shop', origins: ['https://app.example.org'] };
  appendFileSync(
    join(checkout, 'product.yaml'),
    `passkeys: ${JSON.stringify(passkeys)}\nsessions: { mode: managed }\n`,
  );
  dir = mkdtempSync(join(tmpdir(), 'skep-test-'));
  it = await startNode();
  await it.node.ask(TENANT, 'identity', 'user.ensure', { ...ADA, roles: ['tenant_user'] });
});
afterAll(async () => {
  await it.stop();
  for (const path of [dir, checkout]) rmSync(path, { recursive: true, force: true });
});

const post = (path: string, body: unknown = {}, headers: Headers = {}, tenant = TENANT): Promise<Answer> =>
  it.call('POST', path, { ...it.position(tenant), ...headers }, body);
const codeOf = ({ status, json }: Answer) => [status, (json as { code?: string } | undefined)?.code];
const bearer = ({ json }: Answer): Headers => ({
  Authorization: `Bearer ${(json as { access_token: string }).access_token}`,
});
const optionsOf = <T>({ json }: Answer): T => (json as { publicKey: T }).publicKey;

async function byPasskey(): Promise<Answer> {
  const options = optionsOf<RequestOptions>(await post('/auth/webauthn/login/begin'));
  return post('/auth/webauthn/login/finish', { credential: device.get(options) });
}

test('a user registers a passkey and logs in with it, without a name', async () => {
  const mine = bearer(await post('/auth/login', ADA));
  const begun = await post('/auth/webauthn/register/begin', {}, mine);
  expect([begun.status, begun.headers.get('cache-control')]).toEqual([200, 'no-store']);
  const credential = device.create(optionsOf<CreationOptions>(begun));
  const made = await post('/auth/webauthn/register/finish', { credential, name: 'Phone' }, mine);
  expect(made.status).toBe(201);
  const login = await byPasskey();
  expect([login.status, Object.keys(login.json as object)]).toEqual([
    200,
    ['access_token', 'token_type', 'expires_in', 'refresh_token', 'session_id'],
  ]);
  const listed = await it.call('GET', '/auth/webauthn/credentials', { ...it.position(), ...bearer(login) });
  expect(listed.json).toMatchObject({ count: 1, credentials: [{ name: 'Phone' }] });
});

test('of parallel finishes with one challenge one counts; at another tenant none does', async () => {
  const options = optionsOf<RequestOptions>(await post('/auth/webauthn/login/begin'));
  const credential = device.get(options);
  const body = { credential };
  expect(codeOf(await post('/auth/webauthn/login/finish', body, {}, OTHER_TENANT))).toEqual([400, 'invalid_challenge']);
  const answers = await Promise.all([1, 2, 3, 4].map(() => post('/auth/webauthn/login/finish', body)));
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400, 400, 400]);
});

test('passkey, challenge and counter outlive a restart', async () => {
  const options = optionsOf<RequestOptions>(await post('/auth/webauthn/login/begin'));
  const spent = device.get(options);
  expect((await post('/auth/webauthn/login/finish', { credential: spent })).status).toBe(200);
  const open = optionsOf<RequestOptions>(await post('/auth/webauthn/login/begin'));
  await it.stop();
  it = await startNode();
  expect(codeOf(await post('/auth/webauthn/login/finish', { credential: spent }))).toEqual([400, 'invalid_challenge']);
  const old = device.get(open, { counter: 1 });
  expect(codeOf(await post('/auth/webauthn/login/finish', { credential: old }))).toEqual([401, 'invalid_credentials']);
  expect((await post('/auth/webauthn/login/finish', { credential: device.get(open) })).status).toBe(200);
});

test('as a second factor it ends a login by password; an operator resets it', async () => {
  const mine = bearer(await byPasskey());
  const { credentials } = (await it.call('GET', '/auth/webauthn/credentials', { ...it.position(), ...mine })).json as {
    credentials: { id: string }[];
  };
  const path = `/auth/webauthn/credentials/${credentials[0]!.id}`;
  expect((await it.call('PATCH', path, { ...it.position(), ...mine }, { second_factor: true })).status).toBe(200);
  const asked = await post('/auth/login', ADA);
  expect(codeOf(asked)).toEqual([401, 'mfa_required']);
  const { details } = asked.json as { details: { publicKey: RequestOptions } };
  const ended = await post('/auth/webauthn/login/finish', { credential: device.get(details.publicKey) });
  expect(ended.status).toBe(200);
  await it.node.ask(TENANT, 'identity', 'user.set', { user: ADA.login, reset_second_factor: true });
  expect((await post('/auth/login', ADA)).status).toBe(200);
});

test('without a position and at a tenant without passkeys registration is 503; a large body is not read', async () => {
  expect(codeOf(await it.call('POST', '/auth/webauthn/register/begin'))).toEqual([503, 'webauthn_disabled']);
  const plane = { ...it.position('acme:shop:dev:sleeping') };
  expect(codeOf(await it.call('POST', '/auth/webauthn/register/finish', plane, {}))).toEqual([
    503,
    'webauthn_disabled',
  ]);
  expect((await it.call('POST', '/auth/webauthn/login/finish', it.position(), { x: 'y'.repeat(20_000) })).status).toBe(
    413,
  );
});
