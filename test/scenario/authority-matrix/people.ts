/** A node with every kind of principal in every place: what the authority matrix calls the routes as. */
import { appendFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { DEPLOYER } from '#config/deployer-role.ts';
import { OTHER_TENANT, TENANT } from '#test/kit/platform-file.ts';
import { positionHeaders, startTestNode, type Headers, type TestNode } from '#test/kit/test-node.ts';

export const CONTROL = 'superadmin:superadmin:superadmin:superadmin';
export const PLANE = 'acme:shop:dev:superadmin';
export const STRANGER = 'zeta:shop:dev:main';
const STRANGER_PLANE = 'zeta:shop:dev:superadmin';
const PASSWORD = 'correct horse battery';
const HOUR_MS = 3_600_000;

export interface Person {
  readonly name: string;
  readonly kind: 'anonymous' | 'invalid' | 'user' | 'service' | 'key' | 'static';
  /** Where the credential was given. */
  readonly home: string;
  readonly roles: readonly string[];
  /** Grants, customer:env:product:tenant. */
  readonly scope: readonly string[];
  readonly impersonation: 'readonly' | 'full' | null;
  readonly credential: Headers;
}

/** The shop, with passkeys: without them some routes refuse every caller. */
function shopWithPasskeys(): string {
  const copy = mkdtempSync(join(tmpdir(), 'skep-shop-'));
  cpSync(fileURLToPath(new URL('../../kit/products/shop/', import.meta.url)), copy, { recursive: true });
  const passkeys = { rp_id: 'example.org', rp_name: 'Shop', origins: ['https://example.org'] };
  appendFileSync(join(copy, 'product.yaml'), `passkeys: ${JSON.stringify(passkeys)}\n`);
  return copy;
}

const grantOf = (tenant: string): string => {
  const [customer, product, env, name] = tenant.split(':');
  return [customer, env, product, name].join(':');
};

export class World {
  readonly it: TestNode;
  readonly people: Person[] = [];

  readonly #checkout: string;

  private constructor(it: TestNode, checkout: string) {
    this.it = it;
    this.#checkout = checkout;
  }

  async stop(): Promise<void> {
    await this.it.stop();
    rmSync(this.#checkout, { recursive: true, force: true });
  }

  static async open(): Promise<World> {
    const localdir = shopWithPasskeys();
    const tenant = `    - key: ${STRANGER}\n      meta: { localdir: ${localdir} }\n`;
    const it = await startTestNode({ hosts: 2, localdir, tenant, extra: 'audit: { enabled: true }' });
    await it.node.provision(STRANGER);
    for (const plane of [PLANE, STRANGER_PLANE]) await it.node.bootstrap({ tenant: plane, scope: null, person: null });
    const world = new World(it, localdir);
    await world.#fill();
    return world;
  }

  async #fill(): Promise<void> {
    this.#add({ name: 'anonymous', kind: 'anonymous', home: TENANT, credential: {} });
    this.#add({
      name: 'a token that is none',
      kind: 'invalid',
      home: TENANT,
      credential: { Authorization: 'Bearer x' },
    });
    const secret = { 'X-Api-Key': 'shop-static-secret' };
    this.#add({ name: 'the static key', kind: 'static', home: TENANT, roles: ['reader'], credential: secret });
    for (const home of [TENANT, OTHER_TENANT, STRANGER]) {
      for (const role of ['tenant_user', 'tenant_admin', 'superadmin']) await this.#user(home, [role]);
      await this.#key(home, { roles: ['tenant_user'] });
      await this.#key(home, { roles: ['tenant_admin'], is_superadmin: true });
      await this.#service(home, [grantOf(home)]);
    }
    for (const home of [PLANE, STRANGER_PLANE, CONTROL]) await this.#user(home, ['superadmin', 'platform_admin']);
    await this.#service(PLANE, ['acme:dev:shop:*']);
    await this.#service(CONTROL, ['*:*:*:*']);
    for (const home of [PLANE, STRANGER_PLANE]) await this.#operators(home);
    for (const home of [TENANT, PLANE, STRANGER_PLANE, CONTROL]) await this.#key(home, { roles: [DEPLOYER] });
  }

  /** Operators of a plane with grants over the tenant; of the tenant's own plane, those for whom they act, too. */
  async #operators(home: string): Promise<void> {
    const roles = ['impersonate', 'impersonate-readonly'];
    const operators = [await this.#user(home, roles), await this.#key(home, { roles })];
    for (const { id } of operators) {
      const grant = { operator: id, tenant: TENANT, granted_by: 'test', for_ms: HOUR_MS };
      await this.it.node.ask(CONTROL, 'identity', 'grant.put', grant);
    }
    if (home !== PLANE) return;
    for (const role of ['tenant_user', 'tenant_admin', 'superadmin'])
      for (const mode of ['readonly', 'full'] as const) await this.#impersonation(operators[0]!.person, role, mode);
  }

  async #impersonation(operator: Person, role: string, mode: 'readonly' | 'full'): Promise<void> {
    const user = loginOf(TENANT, [role]);
    await this.it.node.ask(TENANT, 'identity', 'user.set', { user, allow_impersonation: true });
    const headers = { ...positionHeaders(PLANE), ...operator.credential };
    const wish = { tenant: TENANT, user, reason: 'the matrix', mode };
    const { status, text, json } = await this.it.call('POST', '/superadmin/impersonate', headers, wish);
    expect(status, text).toBe(200);
    const { access_token } = json as { access_token: string };
    // A superadmin's role is never borrowed.
    const roles = role === 'superadmin' ? [] : [role];
    const name = `${mode} impersonation of ${role}`;
    this.#add({ name, kind: 'user', home: TENANT, roles, impersonation: mode, credential: bearer(access_token) });
  }

  async #user(home: string, roles: readonly string[]): Promise<{ readonly id: string; readonly person: Person }> {
    const email = loginOf(home, roles);
    const wish = { email, password: PASSWORD, roles };
    const { id } = (await this.it.node.ask(home, 'identity', 'person.ensure', wish)) as { id: string };
    const body = { login: email, password: PASSWORD };
    const { status, text, json } = await this.it.call('POST', '/auth/login', positionHeaders(home), body);
    expect(status, text).toBe(200);
    const { access_token } = json as { access_token: string };
    const name = `${roles.join('+')} of ${home}`;
    return { id, person: this.#add({ name, kind: 'user', home, roles, credential: bearer(access_token) }) };
  }

  async #key(home: string, capabilities: { roles?: string[]; scope?: string[]; is_superadmin?: boolean }) {
    const wish = { capabilities };
    const { key } = (await this.it.node.ask(home, 'identity', 'key.issue', wish)) as { key: string };
    const { roles = [], scope = [] } = capabilities;
    const name = `key with ${JSON.stringify(capabilities)} of ${home}`;
    const credential = { Authorization: `ApiKey ${key}` };
    return { id: key.split('.')[0]!, person: this.#add({ name, kind: 'key', home, roles, scope, credential }) };
  }

  /** A service key and its token. */
  async #service(home: string, scope: string[]): Promise<void> {
    const { person } = await this.#key(home, { scope });
    const headers = { ...positionHeaders(home), ...person.credential };
    const { status, text, json } = await this.it.call('POST', '/auth/token', headers);
    expect(status, text).toBe(200);
    const name = `service token of ${home} over ${scope.join()}`;
    this.#add({ name, kind: 'service', home, scope, credential: bearer((json as { token: string }).token) });
  }

  #add(wish: Pick<Person, 'name' | 'kind' | 'home' | 'credential'> & Partial<Person>): Person {
    const person = { roles: [], scope: [], impersonation: null, ...wish };
    this.people.push(person);
    return person;
  }
}

const bearer = (token: string): Headers => ({ Authorization: `Bearer ${token}` });
const loginOf = (home: string, roles: readonly string[]): string =>
  `${roles.join('.')}@${home.replaceAll(':', '.')}.example`;
