/** The engine in memory keeps the port. */
import { expect, it } from 'vitest';
import { KEPT_NODE_RULES, type NodeRules } from './memory-nodes.ts';
import { MemoryLog } from './memory.ts';
import { engineCases } from './engine.cases.ts';
import { memoryNodeWorld, memoryWorld, nodeFailures } from './memory-world.ts';
import { nodesCases } from './nodes.cases.ts';
import { snapshotCases } from './snapshot.cases.ts';
import { appended, claimed, isUnknown, logOf } from './world.ts';

engineCases(memoryWorld(), it);
snapshotCases(memoryWorld(), it);
nodesCases(memoryNodeWorld(), it);

it.each(Object.keys(KEPT_NODE_RULES) as (keyof NodeRules)[])(
  'an engine that breaks a rule about nodes is noticed: %s',
  async (rule) => {
    expect(await nodeFailures({ ...KEPT_NODE_RULES, [rule]: false })).toBeGreaterThan(0);
  },
);

it('an entry whose wait was cancelled is seen, has no outcome, and is gone when the standby takes over', async () => {
  const log = new MemoryLog({ shards: 1, random: () => 0 });
  const engine = log.connect();
  const entry = (await claimed(engine)).next('one');
  log.isStandbyAway = true;
  const first = isUnknown(engine.append([entry]));
  await log.settled();
  expect(await logOf(engine)).toEqual([]);
  log.cancelWaits();
  log.wake();
  expect(await first).toBe(true);
  expect(await logOf(engine)).toEqual(['1/1 one']);
  log.takeOver();
  log.isStandbyAway = false;
  expect(await logOf(log.connect())).toEqual([]);
  expect(await isUnknown(engine.append([entry]))).toBe(true);
  expect(await appended(engine, entry)).toBe('durable');
  expect(await logOf(engine)).toEqual(['1/1 one']);
});
