/** Recovers an image by the start of a whole node, which then serves, and ends in order. */
import { dirname } from 'node:path';
import { startProcess } from '#test/kit/process-node.ts';
import { untilWhole } from '#test/kit/test-node.ts';
import type { Facts } from './facts.ts';
import type { Judge } from './judge.ts';
import type { Ledger } from './ledger.ts';
import { runLoad } from './load.ts';
import type { Site } from './site.ts';

/** What the directory holds afterwards; the ledger gets what was answered meanwhile. Rejects where the node does not serve as a whole one. */
export async function startOn(site: Site, dataDir: string, ledger: Ledger, judge: Judge): Promise<Facts> {
  const node = await startProcess(site.platformAt(dirname(dataDir)));
  try {
    await untilWhole(node);
    await runLoad(node, { serviceKey: site.serviceKey, rounds: 1, name: 'z', note: (note) => ledger.add(note) });
  } catch (error) {
    await node.end('SIGKILL');
    throw error;
  }
  const how = await node.end('SIGTERM');
  if (how !== 0) throw new Error(`the node ended ${how}: ${node.stderr()}`);
  return judge.recover(dataDir);
}
