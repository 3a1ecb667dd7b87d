/** A node that kills its host, or stops, when it is told to; its parent kills the process, too. Started by live/killable-node.ts: `<platform file>`. */
import { startNode } from '#test/kit/bundled-node.ts';
import { platformOf } from '#test/kit/platform-of.ts';

const node = await startNode(platformOf(process.argv[2]!));
process.on('message', (order) => {
  if (order === 'stop') void node.stop().then(() => process.disconnect());
  else void node.drill.killHost(0).then(() => process.send!('killed'));
});
process.send!(node.listeners);
