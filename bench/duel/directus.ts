/** Directus on SQLite: bootstrapped into a new file, its place made over its own API, asked with a static token as its documentation has it. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { freePortBase } from '#bench/kit/ports.ts';
import { DIRECTUS, firstLine } from './install.ts';
import { answered, endChild, endWithUs, type Peer, type Running } from './peer.ts';
import { placeSides } from './rivals.ts';
import { sqliteSettings } from './sqlite.ts';

const SAID_CHARS_MAX = 4000;

/** Its own command line but for the launcher, which asks the registry whether there is a newer one. */
const program = (): string => createRequire(`${DIRECTUS.dir}package.json`).resolve('@directus/api/cli/run.js');

/** No caches, no rate limits, no telemetry, no log of requests: no peer has them on. */
function environmentOf(dir: string, port: number, token: string): NodeJS.ProcessEnv {
  const secret = randomBytes(16).toString('hex');
  const database = { DB_CLIENT: 'sqlite3', DB_FILENAME: join(dir, 'directus.sqlite') };
  const admin = { ADMIN_EMAIL: 'bench@example.org', ADMIN_PASSWORD: secret, ADMIN_TOKEN: token };
  const off = ['TELEMETRY', 'CACHE_ENABLED', 'RATE_LIMITER_ENABLED', 'WEBSOCKETS_ENABLED'];
  return {
    PATH: process.env['PATH'],
    HOME: dir,
    NODE_ENV: 'production',
    ...database,
    ...admin,
    ...Object.fromEntries(off.map((name) => [name, 'false'])),
    SECRET: secret,
    HOST: '127.0.0.1',
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    LOG_LEVEL: 'error',
    EXTENSIONS_PATH: join(dir, 'extensions'),
    STORAGE_LOCAL_ROOT: join(dir, 'uploads'),
  };
}

const indexed = { is_nullable: false, is_indexed: true };
/** Without its accountability each create would write an activity and a revision, too. */
const PLACE = {
  collection: 'place',
  schema: {},
  meta: { accountability: null },
  fields: [
    { field: 'id', type: 'integer', schema: { is_primary_key: true, has_auto_increment: true }, meta: {} },
    { field: 'name', type: 'string', schema: indexed },
    { field: 'country', type: 'string', schema: { ...indexed, max_length: 2 } },
    { field: 'population', type: 'bigInteger', schema: { is_nullable: false } },
    { field: 'latitude', type: 'float', schema: {} },
    { field: 'longitude', type: 'float', schema: {} },
    { field: 'feature_code', type: 'string', schema: {} },
  ],
};

async function makePlace(url: string, headers: Record<string, string>): Promise<void> {
  const init = { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' } };
  const answer = await fetch(`${url}/collections`, { ...init, body: JSON.stringify(PLACE) });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`its collection was not made: ${answer.status} ${text.slice(0, 300)}`);
}

export const directus: Peer = {
  name: 'Directus on SQLite',
  shelf: DIRECTUS,
  natives: Object.keys(DIRECTUS.natives),
  package: 'directus',
  async start({ dir }): Promise<Running> {
    const [port, token] = [await freePortBase(), randomBytes(24).toString('hex')];
    const options = { cwd: dir, env: environmentOf(dir, port, token) };
    const made = spawnSync(process.execPath, [program(), 'bootstrap'], { ...options, encoding: 'utf8' });
    if (made.status !== 0) throw new Error(`its bootstrap failed: ${firstLine(`${made.stdout}\n${made.stderr}`)}`);
    const child = spawn(process.execPath, [program(), 'start'], { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (said = (said + chunk.toString('utf8')).slice(-SAID_CHARS_MAX)));
    endWithUs(child, 'SIGKILL');
    const gone = once(child, 'exit').then(([code]) =>
      Promise.reject(new Error(`it ended with ${String(code)}: ${firstLine(said)}`)),
    );
    gone.catch(() => undefined);
    const stop = (): Promise<void> => endChild(child, () => child.kill('SIGTERM'));
    try {
      const url = options.env['PUBLIC_URL']!;
      await Promise.race([answered(`${url}/server/ping`), gone]);
      const headers = { Authorization: `Bearer ${token}` };
      await makePlace(url, headers);
      const items = `${url}/items/place`;
      const sides = await placeSides(items, (id) => `${items}/${String(id)}`, 200, headers);
      const settings = `sqlite3, ${sqliteSettings(options.env['DB_FILENAME']!, 'FULL')}; a static token checked, caches, activity and rate limits off`;
      return { settings, sides, stop };
    } catch (error) {
      await stop();
      throw error;
    }
  },
};
