/** What a thread gives back once it has started and is idle. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const COLLECTOR = new URL('../../runtime/collector.ts', import.meta.url).href;

/** Prints the megabytes of the young generation, grown by objects that survive for a while, before and after `during` has passed. */
const program = (during: string): string => `
  import { getHeapSpaceStatistics } from 'node:v8';
  import { setTimeout as sleep } from 'node:timers/promises';
  import { settleLater, settleWhenIdle } from '${COLLECTOR}';
  const young = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size / 2 ** 20;
  for (let round = 0; round < 60; round++) globalThis.kept = Array.from({ length: 60_000 }, (_, at) => ({ at, also: [at] }));
  globalThis.kept = null;
  const grown = young();
  let hasSettled = false;
  settleWhenIdle(() => (hasSettled = true));
  ${during}
  console.log(JSON.stringify({ grown, left: young(), hasSettled }));
  process.exit(0);`;

async function run(during: string): Promise<{ grown: number; left: number; hasSettled: boolean }> {
  const args = ['--input-type=module', '-e', program(during)];
  return JSON.parse((await promisify(execFile)(process.execPath, args)).stdout);
}

test('an idle thread shrinks its young generation', async () => {
  const { grown, left } = await run('while (!hasSettled) await sleep(50);');
  expect(grown).toBeGreaterThan(8);
  expect(left).toBeLessThan(grown / 4);
});

test('a busy one is left alone', async () => {
  const work = 'const end = performance.now() + 20; while (performance.now() < end);';
  const { hasSettled } = await run(`for (let turn = 0; turn < 150; turn++) { ${work} await sleep(1); }`);
  expect(hasSettled).toBe(false);
});

test('an idle one that callers wait for within moments is left alone, too', async () => {
  const { hasSettled } = await run('settleLater(); await sleep(4000);');
  expect(hasSettled).toBe(false);
});
