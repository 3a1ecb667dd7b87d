/** Every peer, and how it is asked for each operation. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadRequest } from '#bench/kit/load-script.ts';
import { freePortBase } from '#bench/kit/ports.ts';
import { endChild, endWithUs, forkPeer, PEERS_DIR } from './peer.ts';
import type { Peer, Running, Side } from './peer.ts';
import { startPostgres } from './postgres.ts';

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
const post = (body: LoadRequest['body'], headers: LoadRequest['headers'] = {}): LoadRequest => ({
  method: 'POST',
  headers: { ...JSON_TYPE, ...headers },
  body,
});

/** Creates one row and gives its read. `expect` is the status of a create. */
async function placeSides(create: string, row: (id: unknown) => string, expect: number): Promise<Running['sides']> {
  const body = '{"name":"first","country":"CH","population":1}';
  const answer = await fetch(create, { method: 'POST', headers: JSON_TYPE, body });
  const text = await answer.text();
  if (answer.status !== expect) throw new Error(`its create answered ${answer.status} ${text.slice(0, 300)}`);
  const { id, data } = JSON.parse(text) as { id?: unknown; data?: readonly { id: unknown }[] };
  return {
    read: { url: row(id ?? data?.[0]?.id), request: get(), expect: 200 },
    create: { url: create, request: post(newPlace), expect },
  };
}

async function platformatic(dir: string, connectionString: string, settings: string): Promise<Running> {
  const { told, stop } = await forkPeer<{ url: string }>('platformatic.mjs', [dir, connectionString]);
  try {
    const create = `${told.url}/places/`;
    const sides = await placeSides(create, (id) => `${create}${String(id)}`, 200);
    return { settings, sides, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

export const platformaticPostgres: Peer = {
  name: 'Platformatic DB on PostgreSQL',
  package: '@platformatic/db',
  async start({ dir, beside }) {
    const postgres = await startPostgres(beside);
    try {
      const settings = `PostgreSQL ${postgres.settings}; no authorization`;
      const running = await platformatic(dir, postgres.connectionString, settings);
      const stop = async (): Promise<void> => {
        await running.stop();
        await postgres.stop();
      };
      return { ...running, stop };
    } catch (error) {
      await postgres.stop();
      throw error;
    }
  },
};

/** The addon is built from C++ at install, or fetched from its author's releases: neither is possible everywhere. */
function requireSqlite(): void {
  try {
    const Database = createRequire(`${PEERS_DIR}package.json`)('better-sqlite3') as new (file: string) => {
      close(): void;
    };
    new Database(':memory:').close();
  } catch (error) {
    const why = (error as Error).message.split('\n', 1)[0]!;
    throw new Error(`better-sqlite3 has no native build here (${why}); npm rebuild better-sqlite3 in bench/peers`, {
      cause: error,
    });
  }
}

export const platformaticSqlite: Peer = {
  name: 'Platformatic DB on SQLite',
  package: '@platformatic/db',
  async start({ dir }) {
    requireSqlite();
    return await platformatic(
      dir,
      `sqlite://${join(dir, 'places.sqlite')}`,
      "the mapper's own PRAGMAs; no authorization",
    );
  },
};

/** Peers that were thought of and are not here. */
export const ABSENT: readonly { readonly name: string; readonly reason: string }[] = [
  {
    name: 'Directus on SQLite',
    reason:
      'not written: its SQLite driver is built or fetched at install, which could not be tried where this was written',
  },
];

const ANSWER_MS_MAX = 10_000;

export const durableObject: Peer = {
  name: 'workerd, one Durable Object',
  package: 'workerd',
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
      await Promise.race([answered(url), gone]);
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

/** Once anything answers; it tells nobody when it listens. */
async function answered(url: string): Promise<void> {
  for (const end = performance.now() + ANSWER_MS_MAX; ;) {
    try {
      await (await fetch(`${url}0`)).arrayBuffer();
      return;
    } catch (error) {
      if (performance.now() > end) throw error;
      await sleep(20);
    }
  }
}

const alone = (side: Side, name: string): Running['sides'] => ({ [name]: side });

/** On SQLite as its documentation has it, or on its memory adapter: `dir` null. */
async function keysOf(dir: string | null, settings: string): Promise<Running> {
  const args = dir === null ? [] : [join(dir, 'keys.sqlite')];
  const { told, stop } = await forkPeer<{ url: string; key: string }>('better-auth.mjs', args);
  const side = { url: told.url, request: get({ 'X-Api-Key': told.key }), expect: 200 };
  return { settings: `${settings}; verifyApiKey behind node:http, rate limit off`, sides: alone(side, 'key'), stop };
}

export const betterAuth: Peer = {
  name: "better-auth's API keys on SQLite",
  package: 'better-auth',
  start: ({ dir }) => keysOf(dir, "node:sqlite, WAL, synchronous NORMAL; it notes each key's last use"),
};

export const betterAuthMemory: Peer = {
  name: "better-auth's API keys in memory",
  package: 'better-auth',
  start: () => keysOf(null, 'memory adapter: nothing on disk'),
};

export const oidcProvider: Peer = {
  name: "oidc-provider's client credentials",
  package: 'oidc-provider',
  async start() {
    const { told, stop } = await forkPeer<{ url: string; authorization: string }>('oidc-provider.mjs');
    const headers = { Authorization: told.authorization, 'Content-Type': 'application/x-www-form-urlencoded' };
    const body = ['grant_type=client_credentials&scope=bench'];
    const side = { url: `${told.url}/token`, request: { method: 'POST', headers, body }, expect: 200 };
    return { settings: 'memory adapter, JWT signed with Ed25519', sides: alone(side, 'exchange'), stop };
  },
};
