/** A node of its own process with two tenants whose places are empty: what the data benches fill. It sends its parent its addresses and keys. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadPlatform } from '#config/load.ts';
import { CONTROL_PLANE } from '#actors/protocol/position.ts';
import { renderProblems } from '#config/problem.ts';
import type { AdminRequest } from '#runtime/admin-call.ts';
import { startNode } from '#runtime/node.ts';
import { layProduct, type Checkout } from './bench-product.ts';
import { collector } from './collect.ts';
import { ADMIN, BUSY_TENANT, productOf, QUIET_TENANT, type BackupRequest } from './data-node.ts';

const [dir = '', more = '', checkout, console, upstreamPort] = process.argv.slice(2);
const collected = collector();
const product = productOf(dir);
layProduct(product, upstreamPort === undefined ? undefined : `http://127.0.0.1:${upstreamPort}`, checkout as Checkout);
const file = join(dir, 'platform.yaml');
writeFileSync(
  file,
  `gateway: { bind: 127.0.0.1:0 }
listeners: { operations: { bind: 127.0.0.1:0 }, intake: { bind: 127.0.0.1:0 }${console === 'console' ? ', console: { bind: 127.0.0.1:0 }' : ''} }
jwks: { issuers: { iam: self } }
storage: { dir: ${join(dir, 'data')} }
log: { level: error }
${more}
${upstreamPort === undefined ? '' : `outbound: { allow_private: ["127.0.0.1:${upstreamPort}"] }`}
hives:
  tenant:
    - { key: ${BUSY_TENANT}, meta: { localdir: ${product} } }
    - { key: ${QUIET_TENANT}, meta: { localdir: ${product} } }
`,
);
const loaded = loadPlatform(file, { env: {} });
if ('problems' in loaded) throw new Error(renderProblems(loaded.problems));
const node = await startNode(loaded.platform);
const tenants: Record<string, string> = {};
for (const key of [BUSY_TENANT, QUIET_TENANT]) {
  await node.provision(key);
  const scope = [key.split(':').toSpliced(1, 2, key.split(':')[2]!, key.split(':')[1]!).join(':')];
  const issued = await node.ask(key, 'identity', 'key.issue', { service: 'bench', capabilities: { scope } });
  tenants[key] = (issued as { key: string }).key;
}
process.on('message', (asked: AdminRequest | BackupRequest | 'stop' | 'resident') => {
  if (asked === 'resident') void collected().then((residentBytes) => process.send!({ residentBytes }));
  else if (asked === 'stop') void node.stop().then(() => process.exit(0));
  else if ('backup' in asked)
    void node.copies
      .backup({ tenant: BUSY_TENANT, to: asked.backup, over: true })
      .then(({ bytes }) => process.send!({ bytes }));
  else void node.admin(asked).then((answer) => process.send!({ answer }));
});
// At the console the administrator reads rows, too.
const roles = ['tenant_admin', ...(console === 'console' ? ['tenant_user'] : [])];
await node.ask(BUSY_TENANT, 'identity', 'user.ensure', { ...ADMIN, roles });
if (console === 'console')
  await node.ask(CONTROL_PLANE, 'identity', 'user.ensure', { ...ADMIN, roles: ['superadmin'] });
const user = { service: 'bench', capabilities: { roles: ['tenant_user'] } };
const { key: userKey } = (await node.ask(BUSY_TENANT, 'identity', 'key.issue', user)) as { key: string };
process.send!({ ...node.listeners, keys: tenants, userKey });
