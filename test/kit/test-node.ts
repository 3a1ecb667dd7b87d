/** A real node in this process, provisioned, with keys: what scenario tests speak HTTP to. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Platform } from '#config/platform.ts';
import { startNode, type Node } from '#runtime/node.ts';
import { OTHER_TENANT, TENANT, writePlatformFile, type PlatformWish } from './platform-file.ts';
import { platformOf } from './platform-of.ts';
import { holdAgainstDocument } from './documented.ts';
import { assertSound } from './sound.ts';

export type Headers = Record<string, string>;

export interface Answer {
  readonly status: number;
  readonly headers: globalThis.Headers;
  readonly text: string;
  /** The body as JSON; undefined when it is not. */
  readonly json: never;
}

export interface TestNode {
  readonly node: Node;
  readonly platform: Platform;
  readonly dir: string;
  readonly gateway: string;
  readonly serviceKey: string;
  readonly apiKey: string;
  /** Position headers of a tenant key. */
  position(tenant?: string): Headers;
  /** Position and a fresh service token. */
  service(tenant?: string): Promise<Headers>;
  call(method: string, path: string, headers?: Headers, body?: unknown, base?: string): Promise<Answer>;
  stop(): Promise<void>;
}

/** Starts a node in a fresh directory (or in `dir`, with what it holds) and provisions two tenants. */
export async function startTestNode(wish: PlatformWish & { readonly dir?: string } = {}): Promise<TestNode> {
  const dir = wish.dir ?? mkdtempSync(join(tmpdir(), 'skep-test-'));
  const platform = platformOf(writePlatformFile(dir, wish));
  const node = await startNode(platform);
  await node.provision(TENANT);
  await node.provision(OTHER_TENANT);
  const gateway = node.listeners['gateway']!;
  const issue = async (capabilities: object): Promise<string> =>
    ((await node.ask(TENANT, 'identity', 'key.issue', { service: 'test', capabilities })) as { key: string }).key;
  const serviceKey = await issue({ scope: ['acme:dev:shop:main'] });
  const apiKey = await issue({ roles: ['tenant_user'] });
  const position = (tenant = TENANT): Headers => positionHeaders(tenant);
  return {
    node,
    platform,
    dir,
    gateway,
    serviceKey,
    apiKey,
    position,
    service: async (tenant = TENANT) => ({
      ...position(tenant),
      Authorization: `Bearer ${await exchange(gateway, serviceKey)}`,
    }),
    call: (method, path, headers = {}, body, base = gateway) => call(base, method, path, headers, body),
    stop: async () => {
      await node.stop();
      await assertSound(platform.storage.dir);
      if (wish.dir === undefined) rmSync(dir, { recursive: true, force: true });
    },
  };
}

export function positionHeaders(tenant: string): Headers {
  const [customer, product, env, name] = tenant.split(':') as [string, string, string, string];
  return { 'X-Customer': customer, 'X-Product': product, 'X-Env': env, 'X-Tenant': name };
}

/** A service token for the key's own tenant. */
export async function exchange(gateway: string, serviceKey: string): Promise<string> {
  const answer = await call(gateway, 'POST', '/auth/token', {
    ...positionHeaders(TENANT),
    Authorization: `ApiKey ${serviceKey}`,
  });
  if (answer.status !== 200) throw new Error(`exchange: ${answer.status} ${answer.text}`);
  return (answer.json as { token: string }).token;
}

/** Waits until every thread serves and nothing is degraded; rejects after ten seconds with what is. */
export async function untilWhole({ listeners }: Pick<Node, 'listeners'>): Promise<void> {
  const end = performance.now() + 10_000;
  for (;;) {
    const { text } = await call(listeners['operations']!, 'GET', '/readyz', { Accept: 'application/json' });
    if (text === '{"ready":true,"degraded":[]}') return;
    if (performance.now() > end) throw new Error(`the node is not whole: ${text}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** One HTTP call; an object body is sent as JSON, a string as it is. */
export async function call(
  base: string,
  method: string,
  path: string,
  headers: Headers = {},
  body?: unknown,
): Promise<Answer> {
  const init: RequestInit = { method, headers: { ...headers }, redirect: 'manual' };
  if (body !== undefined) {
    init.body = typeof body === 'string' ? body : JSON.stringify(body);
    init.headers = { 'Content-Type': 'application/json', ...headers };
  }
  const answer = await answerOf(await fetch(base + path, init));
  const type = answer.headers.get('content-type');
  holdAgainstDocument({ method, path, status: answer.status, type, text: answer.text });
  return answer;
}

/** A response with its whole body. */
export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    json = undefined;
  }
  return { status: response.status, headers: response.headers, text, json: json as never };
}
