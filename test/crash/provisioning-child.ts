/** Provisions a tenant in a process of its own and ends it by SIGKILL as the nth step begins. Arguments: file, tenant, n. */
import { startNode } from '#test/kit/bundled-node.ts';
import { platformOf } from '#test/kit/platform-of.ts';

const [file, tenant, n] = process.argv.slice(2) as [string, string, string];
const node = await startNode(platformOf(file), { doors: false });
let begun = 0;
await node.provision(tenant, {
  admin: { email: 'boss@example.org', password: 'never seen before' },
  told: () => {
    if (++begun === Number(n)) process.kill(process.pid, 'SIGKILL');
  },
});
process.exit(7); // it was never killed
