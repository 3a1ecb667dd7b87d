/** Every peer, and how it is asked for each operation. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { LoadRequest } from '#bench/kit/load-script.ts';
import { freePortBase } from '#bench/kit/ports.ts';
import { COMMON, PEERS_DIR } from './install.ts';
import { answered, endChild, endWithUs, forkPeer, type Peer, type Running, type Side } from './peer.ts';
import { sqliteSettings } from './sqlite.ts';

export const common = (name: string) => ({ shelf: COMMON, package: name }) as const;

const JSON_TYPE = { 'Content-Type': 'application/json' };

/** The row that every side creates: a new name, and a population that lands anywhere in its index. */
export const newPlace: LoadRequest['body'] = [
  '{"name":"',
  { kind: 'unique' },
  '","country":"CH","population":',
  { kind: 'random', below: 1e7 },
  '}',
];

const get = (headers: LoadRequest['headers'] = {}): LoadRequest => ({ method: 'GET', headers, body: null });
export const post = (body: LoadRequest['body'], headers: LoadRequest['headers'] = {}): LoadRequest => ({
  method: 'POST',
  headers: { ...JSON_TYPE, ...headers },
  body,
});

interface Created {
  readonly id?: unknown;
  /** As Parse Server calls it. */
  readonly objectId?: unknown;
}

/** Creates one row and gives its read. `expect` is the status of a create. */
export async function placeSides(
  create: string,
  row: (id: unknown) => string,
  expect: number,
  headers: LoadRequest['headers'] = {},
): Promise<Running['sides']> {
  const body = '{"name":"first","country":"CH","population":1}';
  const answer = await fetch(create, { method: 'POST', headers: { ...JSON_TYPE, ...headers }, body });
  const text = await answer.text();
  if (answer.status !== expect) throw new Error(`its create answered ${answer.status} ${text.slice(0, 300)}`);
  const { id, objectId, data } = JSON.parse(text) as Created & { data?: readonly Created[] | Created };
  const first = Array.isArray(data) ? data[0] : data;
  return {
    read: { url: row(id ?? objectId ?? first?.id), request: get(headers), expect: 200 },
    create: { url: create, request: post(newPlace, headers), expect },
  };
}

export async function platformatic(dir: string, connectionString: string, settings: string): Promise<Running> {
  const { ready, stop } = await forkPeer<{ url: string }>('platformatic.mjs', [dir, connectionString]);
  try {
    const create = `${ready.url}/places/`;
    const sides = await placeSides(create, (id) => `${create}${String(id)}`, 200);
    return { settings, sides, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

export const platformaticSqlite: Peer = {
  name: 'Platformatic DB on SQLite',
  ...common('@platformatic/db'),
  natives: ['better-sqlite3'],
  async start({ dir }) {
    const file = join(dir, 'places.sqlite');
    const running = await platformatic(dir, `sqlite://${file}`, '');
    return { ...running, settings: `better-sqlite3, ${sqliteSettings(file, 'NORMAL')}; no authorization` };
  },
};

export const durableObject: Peer = {
  name: 'workerd, one Durable Object',
  ...common('@cloudflare/workerd-linux-64'),
  async start({ dir }) {
    const url = `http://127.0.0.1:${await freePortBase()}/`;
    const disk = join(dir, 'objects');
    mkdirSync(disk);
    // Its launcher would be one more process in between.
    const binary = createRequire(`${PEERS_DIR}package.json`).resolve('@cloudflare/workerd-linux-64/bin/workerd');
    const address = new URL(url).host;
    const args = [
      'serve',
      `${PEERS_DIR}workerd.capnp`,
      `--socket-addr=http=${address}`,
      `--directory-path=disk=${disk}`,
    ];
    const child = spawn(binary, args, { stdio: ['ignore', 'ignore', 'ignore'] });
    endWithUs(child, 'SIGKILL');
    const stop = (): Promise<void> => endChild(child, () => child.kill('SIGTERM'));
    try {
      const gone = once(child, 'exit').then(([code]) => Promise.reject(new Error(`it ended with ${String(code)}`)));
      gone.catch(() => undefined);
      await Promise.race([answered(`${url}0`), gone]);
      const sides = await placeSides(url, (id) => `${url}${String(id)}`, 201);
      const settings =
        'SQLite storage on a local disk, WAL, output gate: an answer waits for its fsync; no authorization';
      return { settings, sides, stop };
    } catch (error) {
      await stop();
      throw error;
    }
  },
};

const alone = (side: Side, name: string): Running['sides'] => ({ [name]: side });

/** On SQLite as its documentation has it, or on its memory adapter: `dir` null. */
async function keysOf(dir: string | null, settings: string): Promise<Running> {
  const args = dir === null ? [] : [join(dir, 'keys.sqlite')];
  const { ready, stop } = await forkPeer<{ url: string; key: string }>('better-auth.mjs', args);
  const side = { url: ready.url, request: get({ 'X-Api-Key': ready.key }), expect: 200 };
  return { settings: `${settings}; verifyApiKey behind node:http, rate limit off`, sides: alone(side, 'key'), stop };
}

export const betterAuth: Peer = {
  name: "better-auth's API keys on SQLite",
  ...common('better-auth'),
  start: ({ dir }) => keysOf(dir, "node:sqlite, WAL, synchronous NORMAL; it notes each key's last use"),
};

export const betterAuthMemory: Peer = {
  name: "better-auth's API keys in memory",
  ...common('better-auth'),
  start: () => keysOf(null, 'memory adapter: nothing on disk'),
};

export const oidcProvider: Peer = {
  name: "oidc-provider's client credentials",
  ...common('oidc-provider'),
  async start() {
    const { ready, stop } = await forkPeer<{ url: string; authorization: string }>('oidc-provider.mjs');
    const headers = { Authorization: ready.authorization, 'Content-Type': 'application/x-www-form-urlencoded' };
    const body = ['grant_type=client_credentials&scope=bench'];
    const side = { url: `${ready.url}/token`, request: { method: 'POST', headers, body }, expect: 200 };
    return { settings: 'memory adapter, JWT signed with Ed25519', sides: alone(side, 'exchange'), stop };
  },
};
