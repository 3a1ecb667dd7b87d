/** A node with one person of each kind of role, logged in: what tests of the admin planes speak as. */
import { expect } from 'vitest';
import { TENANT, type PlatformWish } from './platform-file.ts';
import { positionHeaders, startTestNode, type Answer, type Headers, type TestNode } from './test-node.ts';

export const PLANE = 'acme:shop:dev:superadmin';
const PASSWORD = 'correct horse battery';

export type Role = 'none' | 'user' | 'admin' | 'superadmin' | 'plane';
/** `plane`: a superadmin at the operator plane beside the tenants. */
const ROLES: Readonly<Record<Exclude<Role, 'none'>, readonly [position: string, role: string]>> = {
  user: [TENANT, 'tenant_user'],
  admin: [TENANT, 'Admin'],
  superadmin: [TENANT, 'superadmin'],
  plane: [PLANE, 'superadmin'],
};

export interface AdminReply extends Omit<Answer, 'json'> {
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly json: any;
}

export class Operators {
  readonly node: TestNode;
  readonly #headers: Readonly<Record<Role, Headers>>;

  private constructor(node: TestNode, headers: Readonly<Record<Role, Headers>>) {
    this.node = node;
    this.#headers = headers;
  }

  static async open(wish: PlatformWish & { readonly dir?: string } = {}): Promise<Operators> {
    const node = await startTestNode(wish);
    await node.node.bootstrap({ tenant: PLANE, scope: null, person: null });
    const headers: Record<string, Headers> = { none: positionHeaders(TENANT) };
    for (const [name, [tenant, role]] of Object.entries(ROLES))
      headers[name] = await loggedIn(node, tenant, name, role);
    return new Operators(node, headers as Record<Role, Headers>);
  }

  headers(role: Role): Headers {
    return this.#headers[role];
  }

  /** A request under `/data/` as the person with a role. */
  send(role: Role, method: string, path: string, body?: unknown): Promise<AdminReply> {
    return this.node.call(method, `/data/${path}`, this.#headers[role], body);
  }
}

async function loggedIn(node: TestNode, tenant: string, name: string, role: string): Promise<Headers> {
  const login = `${name}@example.org`;
  await node.node.ask(tenant, 'identity', 'person.ensure', {
    email: login,
    password: PASSWORD,
    roles: [role],
    replace: true,
  });
  const answer = await node.call('POST', '/auth/login', positionHeaders(tenant), { login, password: PASSWORD });
  expect(answer.status, answer.text).toBe(200);
  const { access_token } = answer.json as { access_token: string };
  return { ...positionHeaders(tenant), Authorization: `Bearer ${access_token}` };
}
