/**
 * An administrator without a shell: invites a person by mail, finds, disables, enables and removes the user, over HTTP alone, at a real node with a real mail
 * server. Spec: docs/contract/identity-users.md §8.4, docs/contract/identity-people.md §1.
 */
import { appendFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MailServer } from '#test/kit/mail-server.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { positionHeaders, startTestNode, type Answer, type TestNode } from '#test/kit/test-node.ts';
import { tokenIn } from '#test/kit/users.ts';

const PASSWORD = 'correct horse battery';
const BOSS = 'boss@example.org';
const EVA = 'eva@example.org';

let mail: MailServer;
let it: TestNode;
let checkout: string;

beforeAll(async () => {
  mail = new MailServer();
  await mail.listen();
  checkout = mkdtempSync(join(tmpdir(), 'skep-administrator-'));
  cpSync(fileURLToPath(new URL('../kit/products/shop/', import.meta.url)), checkout, { recursive: true });
  appendFileSync(
    join(checkout, 'product.yaml'),
    'accounts: { sign_up: invitation, roles: [] }\nsessions: { mode: managed }\nroles: { night_shift: sees all at night }\n',
  );
  const links = ['reset', 'magic_link', 'invitation'].map((name) => `${name}: "https://shop.example/${name}#{token}"`);
  const smtp = `{ host: 127.0.0.1, port: ${mail.port}, starttls: false, auth: none }`;
  it = await startTestNode({
    localdir: checkout,
    extra: `identity: { mail: { smtp: ${smtp}, from: no-reply@shop.example, links: { ${links.join(', ')} } } }`,
  });
  // As `skep tenant provision --firstname` does it: the one step that needs a shell, once for a tenant.
  await it.node.ask(TENANT, 'identity', 'person.ensure', { email: BOSS, password: PASSWORD, roles: ['tenant_admin'] });
}, 60_000);
afterAll(async () => {
  await it.stop();
  await mail.close();
  rmSync(checkout, { recursive: true, force: true });
});

const send = (method: string, path: string, bearer = '', body?: unknown): Promise<Answer> =>
  it.call(method, path, { ...positionHeaders(TENANT), ...(bearer === '' ? {} : { Authorization: bearer }) }, body);
const login = (name: string) => send('POST', '/auth/login', '', { login: name, password: PASSWORD });
const bearerOf = ({ json }: Answer) => `Bearer ${(json as { access_token: string }).access_token}`;
const codeOf = ({ status, json }: Answer) => [status, (json as { code?: string } | undefined)?.code];

/** The token in the mail to an address, once there are so many of it. */
async function mailedTo(address: string, count: number): Promise<string> {
  const mails = () => mail.received.filter(({ to }) => to.includes(address));
  await mail.until(() => mails().length >= count);
  return tokenIn(mails()[count - 1]!.text);
}

async function joins(count: number): Promise<Answer> {
  const token = await mailedTo(EVA, count);
  return send('POST', '/auth/sign-up/confirm', '', { token, password: PASSWORD, firstname: 'Eva', lastname: 'Lind' });
}

test('invites a person, who comes in with the roles; disables, enables and removes the user; invites again', async () => {
  const admin = bearerOf(await login(BOSS));
  const wish = { email: EVA, roles: ['night_shift'] };
  expect((await send('POST', '/auth/admin/invitations', admin, wish)).status).toBe(201);
  const joined = await joins(1);
  expect([joined.status, joined.text]).toEqual([200, expect.stringContaining('access_token')]);
  const eva = bearerOf(joined);
  expect((await send('GET', '/auth/me', eva)).json).toMatchObject({ email: EVA, roles: ['night_shift'] });
  expect((await send('GET', '/auth/admin/invitations', admin)).json).toMatchObject({ invitations: [] });

  const found = (await send('GET', '/auth/admin/users?q=lind', admin)).json as { users: { id: string }[] };
  expect(found.users).toHaveLength(1);
  const user = `/auth/admin/users/${found.users[0]!.id}`;
  expect((await send('GET', user, admin)).json).toMatchObject({ email: EVA, disabled: false, identities: [] });
  const denied = [
    await send('PATCH', user, eva, { roles: ['tenant_admin'] }),
    await send('DELETE', user, eva),
    await send('POST', '/auth/admin/invitations', eva, wish),
  ];
  expect(denied.map(codeOf)).toEqual([
    [403, 'requires_tenant_admin'],
    [403, 'requires_tenant_admin'],
    [403, 'invitation_denied'],
  ]);

  expect((await send('PATCH', user, admin, { disabled: true })).json).toMatchObject({ disabled: true });
  expect(codeOf(await send('GET', '/auth/me', eva))).toEqual([401, 'invalid_token']);
  const { refresh_token } = joined.json as { refresh_token: string };
  expect((await send('POST', '/auth/refresh', '', { refresh_token })).status).toBe(401);
  expect(codeOf(await login(EVA))).toEqual([401, 'invalid_credentials']);
  expect((await send('PATCH', user, admin, { disabled: false })).status).toBe(200);
  const back = bearerOf(await login(EVA));

  expect((await send('DELETE', user, admin)).status).toBe(200);
  expect(codeOf(await send('GET', '/auth/me', back))).toEqual([401, 'invalid_token']);
  expect(codeOf(await login(EVA))).toEqual([401, 'invalid_credentials']);
  expect(codeOf(await send('GET', user, admin))).toEqual([404, 'unknown_user']);

  expect((await send('POST', '/auth/admin/invitations', admin, { ...wish, roles: [] })).status).toBe(201);
  const again = await joins(2);
  expect((await send('GET', '/auth/me', bearerOf(again))).json).toMatchObject({ email: EVA, roles: [] });
  expect((await send('GET', '/auth/me', back)).status).toBe(401);
});

test('cannot lock the tenant out: the last administrator is neither disabled nor removed', async () => {
  const admin = bearerOf(await login(BOSS));
  const { id } = (await send('GET', '/auth/me', admin)).json as { id: string };
  expect(codeOf(await send('PATCH', `/auth/admin/users/${id}`, admin, { disabled: true }))).toEqual([
    409,
    'last_administrator',
  ]);
  expect(codeOf(await send('DELETE', `/auth/admin/users/${id}`, admin))).toEqual([409, 'last_administrator']);
});
