/** The node behind hive.ts: made with its tenants, each of which is provisioned as an operator would, or started on them. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { loadPlatform } from '#config/load.ts';
import type { Platform } from '#config/platform.ts';
import { Busy } from '#actors/protocol/busy.ts';
import { renderProblems } from '#config/problem.ts';
import { startNode, type Node } from '#runtime/node.ts';
import { tenantKey } from './hive.ts';

const [dir = '', tenants = '1', active = '1', hosts = ''] = process.argv.slice(2);
const product = fileURLToPath(new URL('./product', import.meta.url));
const FIRST = tenantKey(0);
/** Tenants that are provisioned at a time. */
const AT_ONCE = 16;
const BUSY_MS = 20;

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

/** The threads that read definitions take few at a time, and say so: it comes again. */
async function provisioned(node: Node, key: string): Promise<void> {
  for (;;)
    try {
      return void (await node.provision(key));
    } catch (error) {
      if (!(error instanceof Busy)) throw error;
      await sleep(BUSY_MS);
    }
}

/** Each tenant, and a key for the active ones. The first brings the ring. */
async function furnish(node: Node, count: number, withKey: number): Promise<Record<string, string>> {
  const keys: Record<string, string> = {};
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let i = next++; i < count; i = next++) {
      const key = tenantKey(i);
      await provisioned(node, key);
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
  const node = await startNode(settings);
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
  process.exit(0); // the next start finds the tenants as a node that restarts does
}
