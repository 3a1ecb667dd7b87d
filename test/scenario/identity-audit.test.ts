/** The findings of the audit about identity, asked of every route of it: what each answers stands in identity-audit/answers.ts, and is proven here on real nodes. */
import { appendFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { routes } from '#actors/identity/routes.ts';
import { MailServer } from '#test/kit/mail-server.ts';
import { OTHER_TENANT, TENANT } from '#test/kit/platform-file.ts';
import { positionHeaders, startTestNode, type Answer, type Headers, type TestNode } from '#test/kit/test-node.ts';
import { FINDINGS, LINES, rowOf, whyNot, type Finding, type RouteName } from '#test/scenario/identity-audit/answers.ts';

const PASSWORD = 'correct horse battery';
const ADMIN = 'admin@example.org';
const STRANGER = 'zeta:shop:dev:main';
/** Registered, and never provisioned. */
const SLEEPING = 'acme:shop:dev:sleeping';
const NOWHERE = 'acme:shop:dev:nowhere';
/** The tests stand for a proxy that says who calls. */
const EDGE = 'trusted_proxies: [127.0.0.1]';
const LOG = `/audit/logs/${encodeURIComponent(`tenant/${TENANT.replaceAll(':', '/')}`)}`;
const NAMES = Object.keys(routes) as RouteName[];
const applying = (finding: Finding): RouteName[] => NAMES.filter((name) => whyNot(name, finding) === null);

/** A body that the row's shape takes, for each route whose unknown members are to be refused. */
const credential = (response: object) => ({ id: 'eA', rawId: 'eA', type: 'public-key', response });
const BODIES: Partial<Record<RouteName, object>> = {
  registerTenant: { customer: 'acme', product: 'shop', env: 'dev', tenant: 'new' },
  provisionTenant: {},
  deployPlan: { revision: null },
  deployApply: { confirm_max_risk: 'low' },
  runTenantSeeds: { dry_run: true },
  runTenantRetention: { dry_run: true },
  makeTenantPlan: { to: 'former' },
  applyTenantPlan: { confirm_max_risk: 'low' },
  webauthnFinish: { credential: credential({ clientDataJSON: 'eA', attestationObject: 'eA' }) },
  webauthnLoginFinish: { credential: credential({ clientDataJSON: 'eA', authenticatorData: 'eA', signature: 'eA' }) },
  changePasskey: { name: 'x' },
  addUser: { email: 'one@example.org' },
  changeUser: { firstname: 'x' },
  makeAdminKey: { name: 'x' },
  changeAdminKey: { name: 'x' },
  revokeAdminKeys: { ids: ['x'] },
  confirmAccount: { token: 'x', password: PASSWORD },
  createInvitation: { email: 'one@example.org', roles: ['tenant_user'] },
  createGuest: {},
  upgradeGuest: { email: 'one@example.org' },
  changeMe: { firstname: 'x' },
  deleteMe: { password: 'wrong wrong wrong' },
  changePassword: { current: 'wrong wrong wrong', password: PASSWORD },
  changeEmail: { email: 'one@example.org', password: 'wrong wrong wrong' },
  confirmEmail: { token: 'x' },
  startLink: {},
  giveProof: { password: 'wrong wrong wrong' },
};

let mail: MailServer;
let it: TestNode;
let dir: string;
let user: string;
const bearers = { admin: {} as Headers, stranger: {} as Headers, guest: {} as Headers, other: {} as Headers };
const keys = { key: {} as Headers, service: {} as Headers };

beforeAll(async () => {
  mail = new MailServer();
  await mail.listen();
  dir = mkdtempSync(join(tmpdir(), 'skep-findings-'));
  const product = join(dir, 'product');
  cpSync(fileURLToPath(new URL('../kit/products/shop/', import.meta.url)), product, { recursive: true });
  const passkeys = { rp_id: 'example.org', rp_name: 'Shop', origins: ['https://example.org'] };
  const guests = { roles: ['tenant_viewer'] };
  const accounts = { sign_up: 'open', roles: ['tenant_user'], guests };
  const sections = { passkeys, accounts, sessions: { mode: 'managed', max: 1000 } };
  for (const [name, section] of Object.entries(sections))
    appendFileSync(join(product, 'product.yaml'), `${name}: ${JSON.stringify(section)}\n`);
  const links = ['reset', 'magic_link', 'sign_up', 'invitation', 'email_change'];
  const templates = links.map((name) => `${name}: "https://shop.example/${name}#{token}"`).join(', ');
  const smtp = `smtp: { host: 127.0.0.1, port: ${mail.port}, starttls: false, auth: none }`;
  it = await startTestNode({
    dir,
    localdir: product,
    gateway: EDGE,
    tenant: `    - key: ${STRANGER}\n      meta: { localdir: ${product} }\n`,
    extra: `identity: { mail: { ${smtp}, from: no-reply@shop.example, links: { ${templates} } } }\naudit: { enabled: true }`,
  });
  await it.node.provision(STRANGER);
  bearers.admin = await loggedIn(TENANT, ['tenant_admin', 'superadmin']);
  bearers.stranger = await loggedIn(STRANGER, ['tenant_admin', 'superadmin']);
  bearers.other = await loggedIn(OTHER_TENANT, ['tenant_admin', 'superadmin']);
  const guest = await it.call('POST', '/auth/guest', positionHeaders(TENANT));
  bearers.guest = bearerOf(guest);
  user = (
    (await ask(TENANT, 'person.ensure', { email: 'user@example.org', password: PASSWORD, roles: [] })) as { id: string }
  ).id;
  const issue = async (capabilities: object) =>
    ((await ask(TENANT, 'key.issue', { capabilities })) as { key: string }).key;
  keys.key = { Authorization: `ApiKey ${await issue({ roles: ['tenant_admin'], is_superadmin: true })}` };
  keys.service = { Authorization: (await it.service())['Authorization']! };
}, 120_000);
afterAll(async () => {
  await it.stop();
  await mail.close();
  rmSync(dir, { recursive: true, force: true });
});

const ask = (tenant: string, verb: string, body: object): Promise<unknown> =>
  it.node.ask(tenant, 'identity', verb, body);
const bearerOf = ({ json }: Answer): Headers => ({
  Authorization: `Bearer ${(json as { access_token: string }).access_token}`,
});
const codeOf = ({ json, text }: Answer): string => (json as { code?: string } | undefined)?.code ?? text;

async function loggedIn(tenant: string, roles: readonly string[], email = ADMIN): Promise<Headers> {
  await ask(tenant, 'person.ensure', { email, password: PASSWORD, roles });
  const answer = await it.call('POST', '/auth/login', positionHeaders(tenant), { login: email, password: PASSWORD });
  expect(answer.status, answer.text).toBe(200);
  return bearerOf(answer);
}

interface Wish {
  readonly as?: Headers;
  readonly at?: string;
  readonly body?: unknown;
  readonly node?: TestNode;
  readonly more?: Headers;
}

function send(name: RouteName, { as = {}, at = TENANT, body, node = it, more = {} }: Wish = {}): Promise<Answer> {
  const { methods, path, body: kind, position } = rowOf(name);
  const filled = path
    .replace('{key}', encodeURIComponent(at))
    .replaceAll(/\{\w+\}/g, name === 'sendReset' ? user : 'x');
  const headers = { ...(position === 'none' ? {} : positionHeaders(at)), ...as, ...more };
  return node.call(methods[0], filled, headers, kind === 'none' ? undefined : (body ?? BODIES[name] ?? {}));
}

/** The bearer with which a route lets its caller as far as it goes. */
const ownOf = (name: RouteName): Headers =>
  rowOf(name).callers.auth === 'none'
    ? {}
    : name === 'upgradeGuest'
      ? bearers.guest
      : name === 'exchangeKey'
        ? keys.key
        : bearers.admin;

test('every route has its answers, and no answer is of a route that is none', () => {
  expect(Object.keys(LINES).toSorted()).toEqual(NAMES.toSorted());
  for (const name of NAMES)
    for (const finding of Object.keys(FINDINGS) as Finding[]) {
      const why = whyNot(name, finding);
      if (why !== null) expect(why.length, `${name} ${finding}`).toBeGreaterThan(10);
    }
  for (const name of NAMES) expect(LINES[name].members === undefined, name).toBe(rowOf(name).request === undefined);
});

test.each(Object.keys(FINDINGS) as Finding[])('%s applies somewhere, and somewhere it does not', (finding) => {
  const count = applying(finding).length;
  expect(count).toBeGreaterThan(0);
  expect(count).toBeLessThan(NAMES.length);
});

describe(`I1: ${FINDINGS.I1}`, () => {
  test.each(applying('I1'))('%s', async (name) => {
    const answer = await send(name, { as: bearers.stranger });
    if (name === 'logout') return expect(codeOf(answer)).toBe('invalid_token');
    expect([401, 403], answer.text).toContain(answer.status);
  });
});

describe(`I2: ${FINDINGS.I2}`, () => {
  interface AuditRecord {
    readonly action: string;
    readonly actor: string;
    readonly target: string;
    readonly request_id: string;
    readonly personal_sha256?: string;
  }

  /** The end of the request's flow in the log, once it is there. */
  async function recordOf(id: string): Promise<(AuditRecord & { ip?: string }) | undefined> {
    const { json } = await it.call('GET', `${LOG}/records?limit=500&action=auth.*.after`, {
      ...positionHeaders(TENANT),
      ...bearers.admin,
    });
    const { records, personal } = json as { records: AuditRecord[]; personal: Record<string, object> };
    const record = records.findLast(({ request_id }) => request_id === id);
    return record && { ...record, ...personal[record.personal_sha256 ?? ''] };
  }

  test.each(applying('I2').filter((name) => rowOf(name).position !== 'none'))('%s', async (name) => {
    // A logout of the administrator would end what the other cases need.
    const own = name === 'logout' ? {} : ownOf(name);
    const answer = await send(name, { as: own });
    const id = answer.headers.get('x-request-id')!;
    await expect.poll(() => recordOf(id), { timeout: 10_000 }).toBeDefined();
    const record = (await recordOf(id))!;
    expect(record.ip, JSON.stringify(record)).toBe('127.0.0.1');
    if (own === bearers.admin || own === bearers.guest) expect(record.actor).not.toBe('');
  });
});

describe(`I8: ${FINDINGS.I8}`, () => {
  test.each(applying('I8').filter((name) => rowOf(name).callers.auth !== 'none'))('%s', async (name) => {
    for (const as of [keys.key, keys.service]) {
      const answer = await send(name, { as });
      expect([401, 403], answer.text).toContain(answer.status);
      expect(['auth_required', 'account_denied', 'passkey_denied']).toContain(codeOf(answer));
    }
  });
});

describe(`I9: ${FINDINGS.I9}`, () => {
  test.each(applying('I9'))('%s', async (name) => {
    const row = rowOf(name);
    if (row.callers.auth !== 'required')
      expect([...Object.keys(limits.rates), 'identity_anonymous']).toContain(row.rate);
    const body = { padding: 'x'.repeat(17 * 1024) };
    expect((await send(name, { as: ownOf(name), body })).status).toBe(413);
  });
});

describe(`I12: ${FINDINGS.I12}`, () => {
  test.each(applying('I12'))('%s', async (name) => {
    const row = rowOf(name);
    const body = BODIES[name] as object;
    expect(row.request!.safeParse(body).error).toBeUndefined();
    expect(row.request!.safeParse({ ...body, no_such_member: 1 }).success).toBe(false);
    if (row.path.startsWith('/superadmin')) return; // operators: test/scenario/identity-operator.test.ts
    // The user, the key or the provider of the path comes before the body.
    if (/\{(?:id\}.*|provider\}.*)$/.test(row.path) && /^\/auth\/(?:admin|me)\//.test(row.path)) return;
    const answer = await send(name, { as: ownOf(name), body: { ...body, no_such_member: 1 } });
    expect(answer.status, answer.text).toBe(400);
    expect(answer.text).toContain('no_such_member');
  });
});

describe(`I13: ${FINDINGS.I13}`, () => {
  test.each(applying('I13'))('%s', async (name) => {
    for (const as of [{}, bearers.admin, keys.key]) {
      const answer = await send(name, { as, at: SLEEPING });
      expect(answer.status, answer.text).toBeGreaterThanOrEqual(400);
      if (codeOf(answer) !== 'webauthn_disabled') expect(answer.status, answer.text).toBeLessThan(500);
      if (as === bearers.admin && codeOf(answer) !== 'webauthn_disabled' && !['bad_request'].includes(codeOf(answer)))
        expect(codeOf(answer)).toBe('tenant_inactive');
    }
  });
});

describe(`I15: ${FINDINGS.I15}`, () => {
  test.each(applying('I15'))('%s', async (name) => {
    for (const at of [SLEEPING, NOWHERE]) {
      const body = {
        login: ADMIN,
        password: PASSWORD,
        otp: '1',
        email: ADMIN,
        token: 'x',
        refresh_token: 'x',
        code: '12345678',
        ...BODIES[name],
      };
      const strict = LINES[name].members === null;
      const [answer, login] = [
        await send(name, { at, body: strict ? BODIES[name] : body }),
        await send('login', { at, body }),
      ];
      expect(login.status).toBe(at === SLEEPING ? 403 : 400);
      expect([answer.status, codeOf(answer)]).toEqual([login.status, codeOf(login)]);
    }
  });
});

describe(`I4: ${FINDINGS.I4}`, () => {
  let limited: TestNode;
  const place = mkdtempSync(join(tmpdir(), 'skep-rates-'));
  beforeAll(async () => {
    const one = '{ burst: 1, per_second: 0.0001 }';
    const rates = [...Object.keys(limits.rates), 'identity_anonymous']
      .map((profile) => `  ${profile}: ${one}\n`)
      .join('');
    limited = await startTestNode({ dir: place, rates, localdir: join(dir, 'product'), gateway: EDGE });
  }, 60_000);
  afterAll(async () => {
    await limited.stop();
    rmSync(place, { recursive: true, force: true });
  });

  test.each(applying('I4').map((name, at) => [name, at + 1] as const))('%s', async (name, at) => {
    const from = (host: string) =>
      send(name, {
        node: limited,
        body: BODIES[name] ?? { x: 1 },
        more: { 'X-Forwarded-For': `2001:db8:${at.toString(16)}:${host}` },
      });
    expect((await from('1::1')).status).not.toBe(429);
    const again = await from('1:ffff::2');
    expect(again.status).toBe(429);
    expect(again.json).toMatchObject({ error: 'rate_limited', profile: rowOf(name).rate });
    expect((await from('2::1')).status).not.toBe(429);
  });
});

/** Callers who pick their address: each request comes from another site. */
const elsewhere = (at: number): Headers => ({ 'X-Forwarded-For': `203.0.${at >> 8}.${at & 255}` });

describe(`I4a: ${FINDINGS.I4a}`, () => {
  test.each(applying('I4a').filter((name) => LINES[name].bounded === 'passwords'))('%s: passwords', async (name) => {
    const email = `${name.toLowerCase()}@example.org`;
    const as = name === 'login' ? {} : await loggedIn(TENANT, [], email);
    const body = name === 'login' ? { login: email, password: 'wrong wrong wrong' } : BODIES[name];
    const statuses = new Set<number>();
    for (let i = 0; i < limits.identity.wrongPasswordsBurst + 5 && !statuses.has(429); i++)
      statuses.add((await send(name, { as, body, more: elsewhere(i % 3) })).status);
    // The second try of a stranger at an account with too many wrong passwords.
    expect([...statuses]).toEqual([401, 429]);
  });

  test.each(applying('I4a').filter((name) => LINES[name].bounded === 'mails'))('%s: mails', async (name) => {
    const to = name === 'sendReset' ? 'user@example.org' : `mails-${name.toLowerCase()}@example.org`;
    if (['requestReset', 'requestMagicLink', 'requestCode'].includes(name))
      await ask(TENANT, 'person.ensure', { email: to, password: PASSWORD, roles: [] });
    const answers: number[] = [];
    for (let i = 0; i < limits.identity.mailsBurst + 3; i++) {
      const body = { login: to, email: to, roles: [] };
      const strict =
        name === 'createInvitation' ? { email: to, roles: [] } : name === 'upgradeGuest' ? { email: to } : body;
      answers.push((await send(name, { as: ownOf(name), body: strict, more: elsewhere(100 + i) })).status);
      // A later request of an address ends the mail of an earlier one that has not left yet.
      await mail.until(() => of().length > Math.min(i, limits.identity.mailsBurst - 1));
    }
    expect(of()).toHaveLength(limits.identity.mailsBurst);
    expect(
      answers.every((status) => status === 429 || status < 300),
      answers.join(),
    ).toBe(true);

    function of() {
      return mail.received.filter((one) => one.to.includes(to));
    }
  });
});

describe(`I7: ${FINDINGS.I7}`, () => {
  test.each(applying('I7'))('%s', async (name) => {
    const login = await it.call('POST', '/auth/login', positionHeaders(TENANT), {
      login: 'user@example.org',
      password: PASSWORD,
    });
    const { refresh_token } = login.json as { refresh_token: string };
    const both = await Promise.all([1, 2, 3].map(() => send(name, { body: { refresh_token } })));
    const tokens = both.map(({ json }) => (json as { refresh_token?: string }).refresh_token);
    expect(both.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(tokens).size).toBe(1);
  });
});

describe(`I11: ${FINDINGS.I11}`, () => {
  let demoted: Headers;
  beforeAll(async () => {
    demoted = await loggedIn(TENANT, ['tenant_admin'], 'demoted@example.org');
    const list = await send('listUsers', { as: demoted });
    expect(list.status).toBe(200);
    await ask(TENANT, 'user.set', { user: 'demoted@example.org', roles: ['tenant_user'] });
    expect((await send('showMe', { as: bearers.other, at: OTHER_TENANT })).status).toBe(200);
    await it.node.copies.delete({ tenant: OTHER_TENANT, confirm: OTHER_TENANT });
    await it.node.provision(OTHER_TENANT);
  }, 60_000);

  test.each(applying('I11'))('%s', async (name) => {
    for (const [as, at] of [
      [demoted, TENANT],
      [bearers.other, OTHER_TENANT],
    ] as const) {
      const answer = await send(name, { as, at });
      expect([answer.status, codeOf(answer)], answer.text).toEqual([
        401,
        name === 'exchangeKey' ? 'apikey_required' : 'invalid_token',
      ]);
    }
  });
});
