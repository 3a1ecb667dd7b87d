/** Nodes of the contract's table test, each started when the first proof asks for it, and what proofs say to them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { CONTROL_PLANE } from '#actors/protocol/position.ts';
import { startNode, type Node } from '#runtime/node.ts';
import type { Platform } from '#config/platform.ts';
import { writeManagedProduct } from '#test/kit/managed-product.ts';
import { TENANT, type PlatformWish } from '#test/kit/platform-file.ts';
import { call, positionHeaders, startTestNode, type Answer, type Headers, type TestNode } from '#test/kit/test-node.ts';

export const PLANE = 'acme:shop:dev:superadmin';
export const SLEEPING = 'acme:shop:dev:sleeping';
export const PASSWORD = 'correct horse';
/** A grant over the tenant of the tests: customer, env, product, tenant. */
export const HERE = 'acme:dev:shop:main';
export const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

export const keyHeader = (key: string): Headers => ({ Authorization: `ApiKey ${key}` });
export const codeOf = ({ status, json }: Answer): [number, string] => [status, (json as { code: string }).code];
export const field = <T = string>({ json }: Answer, name: string): T => (json as Record<string, T>)[name] as T;

/** The claims of a token, believed. */
export function claimsOf(token: string): Record<string, unknown> {
  const signed = Buffer.from(token.split('.')[2]!, 'base64url');
  return JSON.parse(signed.subarray(0, -64).toString()) as Record<string, unknown>;
}

/** One node and the requests of identity's routes. */
export class Place {
  readonly it: TestNode;

  constructor(it: TestNode) {
    this.it = it;
  }

  at(headers: Headers = {}, tenant = TENANT): Headers {
    return { ...positionHeaders(tenant), ...headers };
  }

  post(path: string, headers: Headers, body?: unknown): Promise<Answer> {
    return this.it.call('POST', path, headers, body);
  }

  issue(headers: Headers, body: unknown = {}): Promise<Answer> {
    return this.post('/auth/apikey', headers, body);
  }

  revoke(headers: Headers, id: string): Promise<Answer> {
    return this.it.call('DELETE', `/auth/apikey/${id}`, headers);
  }

  exchange(headers: Headers, query = ''): Promise<Answer> {
    return this.post(`/auth/token${query}`, headers);
  }

  ask(tenant: string, verb: string, body: unknown): Promise<unknown> {
    return this.it.node.ask(tenant, 'identity', verb, body);
  }

  /** A key of a tenant, made by the node itself. */
  async key(capabilities: object = {}, tenant = TENANT): Promise<string> {
    return ((await this.ask(tenant, 'key.issue', { capabilities })) as { key: string }).key;
  }

  /** A user with these roles, logged in: position and bearer. */
  async user(roles: readonly string[], tenant = TENANT): Promise<{ headers: Headers; tokens: Answer; id: string }> {
    const email = `${roles.join('.')}.${tenant.replaceAll(':', '.')}@example.org`;
    const { id } = (await this.ask(tenant, 'person.ensure', { email, password: PASSWORD, roles })) as { id: string };
    const tokens = await this.post('/auth/login', this.at({}, tenant), { login: email, password: PASSWORD });
    expect(tokens.status).toBe(200);
    return { headers: this.at({ Authorization: `Bearer ${field(tokens, 'access_token')}` }, tenant), tokens, id };
  }

  /** The superadmin of the control plane, logged in. */
  async superadmin(): Promise<Headers> {
    await this.ask(CONTROL_PLANE, 'superadmin.ensure', { email: 'root@example.org', password: PASSWORD });
    const answer = await this.post('/auth/login', this.at({}, CONTROL_PLANE), {
      login: 'root@example.org',
      password: PASSWORD,
    });
    return this.at({ Authorization: `Bearer ${field(answer, 'access_token')}` }, CONTROL_PLANE);
  }
}

export class Contract {
  readonly #cleanups: (() => unknown)[] = [];
  readonly #places = new Map<string, Promise<Place>>();

  /** The shop without sessions, every rate profile off. */
  plain(): Promise<Place> {
    return this.#place('plain', {});
  }

  /** The profiles as they are by default. */
  limited(): Promise<Place> {
    return this.#place('limited', { rates: '  auth_login: off\n' });
  }

  /** A shop with sessions, one for each user, and a token life of its own. */
  managed(onLimit: 'reject' | 'evict_oldest'): Promise<Place> {
    const dir = this.directory();
    const settings = `token: { claims: { plan: gold }, expiry: 60s }\nsessions: { mode: managed, max: 1, on_limit: ${onLimit} }`;
    return this.#place(onLimit, { localdir: writeManagedProduct(dir, settings) });
  }

  /** Stops a node for good and starts another on its stores, without provisioning it again. */
  async restart(it: TestNode, change: (platform: Platform) => Platform = (same) => same): Promise<Node> {
    await it.node.stop();
    const node = await startNode(change(it.platform));
    this.#cleanups.push(() => node.stop());
    return node;
  }

  /** A node of its own, for a proof that spoils it. */
  async own(wish: PlatformWish = {}): Promise<Place> {
    const dir = this.directory();
    const it = await startTestNode({ ...wish, dir });
    return new Place(it);
  }

  directory(): string {
    const dir = mkdtempSync(join(tmpdir(), 'skep-contract-'));
    this.#cleanups.push(() => rmSync(dir, { recursive: true, force: true }));
    return dir;
  }

  async end(): Promise<void> {
    for (const place of this.#places.values()) await (await place).it.stop();
    for (const clean of this.#cleanups.toReversed()) await clean();
  }

  #place(name: string, wish: PlatformWish): Promise<Place> {
    let place = this.#places.get(name);
    if (place === undefined) this.#places.set(name, (place = startTestNode(wish).then((it) => new Place(it))));
    return place;
  }
}

/** A request to a node that was started again. */
export const callNode = (node: Node, method: string, path: string, headers: Headers, body?: unknown): Promise<Answer> =>
  call(node.listeners['gateway']!, method, path, headers, body);
