/** Accounts over HTTP to a real node with a real mail server. Spec: docs/contract/identity-users.md §8. */
import { appendFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MailServer } from '#test/kit/mail-server.ts';
import { positionHeaders, startTestNode, type Answer, type TestNode } from '#test/kit/test-node.ts';
import { tokenIn } from '#test/kit/users.ts';

const TENANT = 'acme:shop:dev:people';
const PASSWORD = 'correct horse battery';
const EVA = 'eva@example.org';

let mail: MailServer;
let it: TestNode;
let dir: string;

beforeAll(async () => {
  mail = new MailServer();
  await mail.listen();
  dir = mkdtempSync(join(tmpdir(), 'skep-accounts-'));
  cpSync(new URL('../kit/products/shop', import.meta.url).pathname, dir, { recursive: true });
  const accounts =
    'accounts: { sign_up: open, domains: [example.org], roles: [tenant_user] }\nsessions: { mode: managed }\n';
  appendFileSync(join(dir, 'product.yaml'), accounts);
  const links = ['reset', 'magic_link', 'sign_up', 'invitation', 'email_change'];
  const templates = links.map((name) => `${name}: "https://shop.example/${name}#{token}"`).join(', ');
  it = await startTestNode({
    tenant: `    - key: ${TENANT}\n      meta: { localdir: ${dir} }\n`,
    extra: `identity: { mail: { smtp: { host: 127.0.0.1, port: ${mail.port}, starttls: false, auth: none }, from: no-reply@shop.example, links: { ${templates} } } }`,
  });
  await it.node.provision(TENANT);
}, 60_000);
afterAll(async () => {
  await it.stop();
  await mail.close();
  rmSync(dir, { recursive: true, force: true });
});

const send = (method: string, path: string, body?: unknown, bearer?: string): Promise<Answer> =>
  it.call(
    method,
    path,
    { ...positionHeaders(TENANT), ...(bearer === undefined ? {} : { Authorization: bearer }) },
    body,
  );
const post = (path: string, body: unknown, bearer?: string) => send('POST', path, body, bearer);
const codeOf = ({ json }: Answer): unknown => (json as { code?: string } | undefined)?.code;

/** The newest mail to an address, once there are so many of it. */
async function mailTo(address: string, count = 1) {
  const of = () => mail.received.filter(({ to }) => to.includes(address));
  await mail.until(() => of().length >= count);
  return of()[count - 1]!;
}

async function signedUp(email: string): Promise<string> {
  expect((await post('/auth/sign-up', { email })).status).toBe(202);
  const { text } = await mailTo(email);
  const confirmed = await post('/auth/sign-up/confirm', { token: tokenIn(text), password: PASSWORD });
  expect(confirmed.status, confirmed.text).toBe(200);
  return `Bearer ${(confirmed.json as { access_token: string }).access_token}`;
}

test('from the wish to the login: the link is in the mail alone, and built from the platform file whatever Host says', async () => {
  const headers = { ...positionHeaders(TENANT), 'X-Forwarded-Host': 'evil.example' };
  const wish = await it.call('POST', '/auth/sign-up', headers, { email: EVA });
  expect([wish.status, wish.text]).toEqual([202, '{"ok":true}']);
  const { subject, text } = await mailTo(EVA);
  expect(subject).toBe('Confirm your address');
  expect(text).toContain('https://shop.example/sign_up#');
  expect(text).not.toContain('evil');
  const token = tokenIn(text);
  const confirmed = await post('/auth/sign-up/confirm', { token, password: PASSWORD, firstname: 'Eva' });
  expect(confirmed.status, confirmed.text).toBe(200);
  expect(confirmed.json).toHaveProperty('session_id');
  expect(codeOf(await post('/auth/sign-up/confirm', { token, password: PASSWORD }))).toBe('invalid_one_time_token');
  expect((await post('/auth/login', { login: EVA, password: PASSWORD })).status).toBe(200);

  const again = await post('/auth/sign-up', { email: EVA });
  expect([again.status, again.text]).toEqual([202, '{"ok":true}']);
  expect((await mailTo(EVA, 2)).subject).toBe('You have an account already');
});

test('an invitation reaches whom the domains keep out, and withdrawn it does not', async () => {
  const wish = { email: 'root@example.org', password: PASSWORD, roles: ['tenant_admin'] };
  await it.node.ask(TENANT, 'identity', 'person.ensure', wish);
  const login = await post('/auth/login', { login: wish.email, password: PASSWORD });
  const bearer = `Bearer ${(login.json as { access_token: string }).access_token}`;
  expect(codeOf(await post('/auth/sign-up', { email: 'ann@else.example' }))).toBe('email_domain');
  const invitation = { email: 'ann@else.example', roles: ['night_shift'] };
  const made = await post('/auth/admin/invitations', invitation, bearer);
  expect(made.status, made.text).toBe(201);
  const listed = await send('GET', '/auth/admin/invitations?limit=5', undefined, bearer);
  expect(listed.json).toMatchObject({ invitations: [invitation], next: null });
  const { text } = await mailTo('ann@else.example');
  const confirmed = await post('/auth/sign-up/confirm', { token: tokenIn(text), password: PASSWORD });
  expect(confirmed.status, confirmed.text).toBe(200);
  const user = `Bearer ${(confirmed.json as { access_token: string }).access_token}`;
  expect(codeOf(await post('/auth/admin/invitations', invitation, user))).toBe('invitation_denied');

  const other = await post('/auth/admin/invitations', { email: 'bob@else.example', roles: [] }, bearer);
  const { id } = other.json as { id: string };
  const late = tokenIn((await mailTo('bob@else.example')).text);
  expect((await send('DELETE', `/auth/admin/invitations/${id}`, undefined, bearer)).status).toBe(200);
  expect(codeOf(await post('/auth/sign-up/confirm', { token: late, password: PASSWORD }))).toBe(
    'invalid_one_time_token',
  );
});

test('a user looks after the own account: password, address, sessions, deletion', async () => {
  const bearer = await signedUp('dora@example.org');
  const me = await send('GET', '/auth/me', undefined, bearer);
  expect(me.json).toMatchObject({ email: 'dora@example.org', verified: true, roles: ['tenant_user'] });
  const other = await post('/auth/login', { login: 'dora@example.org', password: PASSWORD });
  const { access_token } = other.json as { access_token: string };
  const listed = (await send('GET', '/auth/me/sessions', undefined, bearer)).json as {
    sessions: { current: boolean }[];
  };
  expect(listed.sessions.map(({ current }) => current)).toEqual([false, true]);
  const NEXT = 'staple battery horse';
  expect((await post('/auth/me/password', { current: PASSWORD, password: NEXT }, bearer)).status).toBe(200);
  expect((await mailTo('dora@example.org', 2)).subject).toBe('Your password was changed');
  expect((await send('GET', '/auth/me', undefined, `Bearer ${access_token}`)).status).toBe(401);
  expect((await send('GET', '/auth/me', undefined, bearer)).status).toBe(200);
  expect((await post('/auth/me/email', { email: 'theo@example.org', password: NEXT }, bearer)).status).toBe(202);
  const { text } = await mailTo('theo@example.org');
  expect((await post('/auth/me/email/confirm', { token: tokenIn(text) })).status).toBe(200);
  expect((await mailTo('dora@example.org', 3)).subject).toBe('Your address was changed');
  expect((await send('PATCH', '/auth/me', { firstname: 'Theo' }, bearer)).json).toMatchObject({
    firstname: 'Theo',
    email: 'theo@example.org',
  });
  expect(codeOf(await send('DELETE', '/auth/me', { password: PASSWORD }, bearer))).toBe('invalid_credentials');
  expect((await send('DELETE', '/auth/me', { password: NEXT }, bearer)).status).toBe(200);
  expect((await send('GET', '/auth/me', undefined, bearer)).status).toBe(401);
  expect(codeOf(await post('/auth/login', { login: 'theo@example.org', password: NEXT }))).toBe('invalid_credentials');
});

test('the bodies of these routes are small, and refused when they are not', async () => {
  const long = { email: 'x@example.org', padding: 'x'.repeat(17 * 1024) };
  for (const path of ['/auth/sign-up', '/auth/sign-up/confirm']) expect((await post(path, long)).status).toBe(413);
});

test('what was signed up is there after the host that took it was killed', async () => {
  await signedUp('carl@example.org');
  await it.node.drill.killHost(0);
  await expect
    .poll(async () => (await post('/auth/login', { login: 'carl@example.org', password: PASSWORD })).status, {
      timeout: 15_000,
    })
    .toBe(200);
});
