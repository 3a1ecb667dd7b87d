/** A node that kills its own hosts until its restart budget is spent. Started by budget.test.ts: `<platform file>`. */
import { startNode } from '#test/kit/bundled-node.ts';
import { platformOf } from '#test/kit/platform-of.ts';
import { untilWhole } from '#test/kit/test-node.ts';

const node = await startNode(platformOf(process.argv[2]!));
for (let kill = 1; ; kill++) {
  console.log(kill);
  await node.drill.killHost(0);
  await untilWhole(node);
}
