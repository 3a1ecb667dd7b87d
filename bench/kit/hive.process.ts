/**
 * The node behind hive.ts. Tenants are provisioned by the steps of runtime/provision.ts, but their records are written into the
 * registry at once while no node runs: one by one each would read all the others, and share them with every thread.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { putTenant, takeTenantNo } from '#actors/identity/store.ts';
import { loadPlatform } from '#config/load.ts';
import type { Platform } from '#config/platform.ts';
import { Busy } from '#actors/protocol/busy.ts';
import { limits } from '#config/limits.ts';
import { renderProblems } from '#config/problem.ts';
import { startNode } from '#runtime/node.ts';
import type { Node } from '#runtime/node.ts';
import { CONTROL_ENTRY } from '#runtime/control-plane.ts';
import { openArchive } from '#storage/archive.ts';
import { nextEpoch } from '#storage/journal/directories.ts';
import { tenantKey } from './hive.ts';

const [dir = '', tenants = '1', active = '1', hosts = ''] = process.argv.slice(2);
const product = fileURLToPath(new URL('./product', import.meta.url));
const FIRST = tenantKey(0);
/** Tenants that are asked at a time. */
const AT_ONCE = 16;
const BUSY_MS = 20;
/** Records of one turn. */
const RECORDS = 500;

function platform(): Platform {
  const file = join(dir, 'platform.yaml');
  writeFileSync(
    file,
    `${hosts === '' ? '' : `hosts: ${hosts}\n`}gateway: { bind: 127.0.0.1:0 }
listeners: { operations: { bind: 127.0.0.1:0 }, intake: { bind: 127.0.0.1:0 } }
jwks: { issuers: { iam: self } }
storage: { dir: ${join(dir, 'data')} }
log: { level: error }
audit: { enabled: false }
rates: { auth_token: off }
hives: { tenant: [{ key: ${FIRST}, meta: { localdir: ${product} } }] }
`,
  );
  const loaded = loadPlatform(file, { env: {} });
  if ('problems' in loaded) throw new Error(renderProblems(loaded.problems));
  return loaded.platform;
}

/** The records of all tenants but the first, as `registry.register` and `registry.advance` leave them. */
async function register({ storage, hosts }: Platform, count: number): Promise<void> {
  const archive = await openArchive({
    dataDir: storage.dir,
    shards: [CONTROL_ENTRY.shard],
    epoch: nextEpoch(storage.dir),
    name: 'hive',
    replay: [],
    onFatal: (error) => {
      throw error;
    },
    limits: { freeBytesMin: 1, ballastBytes: 0 },
  });
  const store = archive.store(CONTROL_ENTRY.shard, CONTROL_ENTRY.no);
  const shards = hosts * limits.storage.shardsPerHost;
  const created_at = new Date().toISOString();
  for (let from = 1; from < count; from += RECORDS) {
    const turn = store.begin();
    for (let i = from; i < Math.min(from + RECORDS, count); i++) {
      const no = takeTenantNo(turn);
      putTenant(turn, { key: tenantKey(i), no, shard: no % shards, state: 'active', localdir: product, created_at });
    }
    turn.commit();
    await archive.drain();
  }
  await archive.close();
}

/** The threads that read definitions take few at a time, and say so: it comes again. */
async function provisioned(node: Node, key: string): Promise<void> {
  for (;;)
    try {
      return void (await node.ask(key, 'data', 'schema.provision', null));
    } catch (error) {
      if (!(error instanceof Busy)) throw error;
      await sleep(BUSY_MS);
    }
}

/** Each tenant's schema, and a key for the active ones. */
async function furnish(node: Node, count: number, withKey: number): Promise<Record<string, string>> {
  const keys: Record<string, string> = {};
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let i = next++; i < count; i = next++) {
      const key = tenantKey(i);
      await provisioned(node, key);
      await node.ask(key, 'host', 'forget', null);
      if (i >= withKey) continue;
      const capabilities = { scope: [`acme:dev:bench:t${i}`] };
      const issued = await node.ask(key, 'identity', 'key.issue', { service: 'bench', capabilities });
      keys[key] = (issued as { key: string }).key;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return keys;
}

async function make(settings: Platform): Promise<void> {
  let node = await startNode(settings);
  await node.provision(FIRST);
  await node.stop();
  await register(settings, Number(tenants));
  node = await startNode(settings);
  const keys = await furnish(node, Number(tenants), Number(active));
  await node.stop();
  writeFileSync(join(dir, 'keys.json'), JSON.stringify(keys));
}

const settings = platform();
const made = join(dir, 'keys.json');
if (existsSync(made)) {
  const keys = JSON.parse(readFileSync(made, 'utf8')) as Record<string, string>;
  const node = await startNode(settings);
  process.once('message', () => void node.stop().then(() => process.exit(0)));
  process.send!({ gateway: node.listeners['gateway'], keys });
} else {
  await make(settings);
  process.exit(0); // who starts it again finds them as a node does that was always there
}
