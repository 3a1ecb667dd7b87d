/** Nodes on one log that share out their hosts, as benches wait for them. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { PairMachine } from '#test/kit/node-pair.ts';
import { skep } from '#test/runtime/cli/recorder.ts';

const SPREAD_MS = 60_000;
const LOOK_MS = 500;

/** What a verb of a node's file prints. Throws where it fails. */
export async function listed(what: string, { file }: PairMachine): Promise<unknown> {
  const { code, err, out } = await skep(`${what} -f ${file} -o json`);
  if (code !== 0) throw new Error(err);
  return JSON.parse(out);
}

/** The name of the node that runs each shard. */
export const nodesOf = async (machine: PairMachine): Promise<readonly string[]> =>
  ((await listed('cluster shards', machine)) as { node: string }[]).map(({ node }) => node);

/** Resolves when each of the nodes has as many of the shards. */
export async function spread(machine: PairMachine, names: readonly string[], shards: number): Promise<void> {
  for (const end = performance.now() + SPREAD_MS; ; await sleep(LOOK_MS)) {
    const nodes = await nodesOf(machine);
    if (names.every((name) => nodes.filter((node) => node === name).length === shards / names.length)) return;
    if (performance.now() > end) throw new Error(`the shards run on ${nodes.join(', ')}`);
  }
}
