/** Starts and stops a node over and over in one process, and says what is left of each: bytes of its shared memory, and timers of its main thread. Arguments: a platform file, how often. */
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { loadPlatform, startNode } from '#runtime/embed.ts';

const [file, times] = process.argv.slice(2);
const LOOK_MS = 100;
const LOOKS = 30;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

let first: number | null = null;

/** What was closed tells its end in a later turn, which may take a while on a busy machine. */
async function left(): Promise<number> {
  for (let looks = 0; ; looks++) {
    await sleep(LOOK_MS);
    collect();
    const { arrayBuffers } = process.memoryUsage();
    if (looks === LOOKS || (first !== null && arrayBuffers <= first + 5e6)) return arrayBuffers;
  }
}

for (let life = 0; life < Number(times); life++) {
  const node = await startNode(loadPlatform(file!));
  await node.stop();
  const arrayBuffers = await left();
  first ??= arrayBuffers;
  process.stdout.write(`${JSON.stringify({ arrayBuffers })}\n`);
}
process.exit(0);
