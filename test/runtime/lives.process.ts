/** Starts and stops a node over and over in one process, and says what is left of each: bytes of its shared memory, and timers of its main thread. Arguments: a platform file, how often. */
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { loadPlatform, startNode } from '#runtime/embed.ts';

const [file, times] = process.argv.slice(2);
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

for (let life = 0; life < Number(times); life++) {
  const node = await startNode(loadPlatform(file!));
  await node.stop();
  await sleep(100); // what was closed tells its end in a later turn
  collect();
  const { arrayBuffers } = process.memoryUsage();
  process.stdout.write(`${JSON.stringify({ arrayBuffers })}\n`);
}
process.exit(0);
