/** Runs a control verb in a process of its own and ends it by SIGKILL so long after a step began. Arguments: file, verb, body, step, milliseconds. */
import { runVerb } from '#runtime/control-verbs.ts';
import { startNode } from '#test/kit/bundled-node.ts';
import { platformOf } from '#test/kit/platform-of.ts';

const [file, verb, body, step, ms] = process.argv.slice(2) as [string, string, string, string, string];
const node = await startNode(platformOf(file), { doors: false });
const kill = (): void => void process.kill(process.pid, 'SIGKILL');
await runVerb(node, verb, JSON.parse(body), (told) => {
  if (told !== step) return;
  if (ms === '0') kill();
  else setTimeout(kill, Number(ms));
});
process.exit(0); // it was done before
