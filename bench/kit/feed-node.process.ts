/** The node behind feed-node.ts: tenants of the bench's product, each with several services, since one caller has few subscribers. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadPlatform } from '#config/load.ts';
import { renderProblems } from '#config/problem.ts';
import { startNode } from '#runtime/node.ts';
import { layProduct } from './bench-product.ts';
import { collector } from './collect.ts';
import { productOf } from './data-node.ts';
import { tenantKey } from './hive.ts';

const [dir = '', tenants = '1', callers = '1', more = ''] = process.argv.slice(2);
const collected = collector();
const product = productOf(dir);
layProduct(product);
const positions = Array.from({ length: Number(tenants) }, (_, no) => tenantKey(no));
const file = join(dir, 'platform.yaml');
writeFileSync(
  file,
  `${more}
gateway: { bind: 127.0.0.1:0 }
listeners: { operations: { bind: 127.0.0.1:0 }, intake: { bind: 127.0.0.1:0 } }
jwks: { issuers: { iam: self } }
storage: { dir: ${join(dir, 'data')} }
log: { level: error }
audit: { enabled: false }
rates: { auth_token: off }
hives: { tenant: [${positions.map((key) => `{ key: ${key}, meta: { localdir: ${product} } }`).join(', ')}] }
`,
);
const loaded = loadPlatform(file, { env: {} });
if ('problems' in loaded) throw new Error(renderProblems(loaded.problems));
const node = await startNode(loaded.platform);
const keys: Record<string, string[]> = {};
for (const [no, key] of positions.entries()) {
  await node.provision(key);
  const scope = [`acme:dev:bench:t${no}`];
  const own: string[] = [];
  for (let i = 0; i < Number(callers); i++) {
    const issued = await node.ask(key, 'identity', 'key.issue', { service: `feed${i}`, capabilities: { scope } });
    own.push((issued as { key: string }).key);
  }
  keys[key] = own;
}
process.on('message', (asked: 'stop' | 'resident') => {
  if (asked === 'resident') void collected().then((residentBytes) => process.send!({ residentBytes }));
  else void node.stop().then(() => process.exit(0));
});
process.send!({ gateway: node.listeners['gateway'], keys });
