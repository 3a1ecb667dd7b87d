/** The engine in memory as a world of the cases, and the cases as a list. */
import { KEPT_NODE_RULES, MemoryNodes, type NodeRules } from './memory-nodes.ts';
import { KEPT_RULES, type MemoryRules } from './memory-statements.ts';
import { MemoryLog } from './memory.ts';
import { Random } from '#test/kit/random.ts';
import { testSeed } from '#test/kit/seed.ts';
import { engineCases } from './engine.cases.ts';
import { nodesCases, type OpenNodeWorld } from './nodes.cases.ts';
import { snapshotCases } from './snapshot.cases.ts';
import type { OpenWorld } from './world.ts';

export function memoryWorld(rules: MemoryRules = KEPT_RULES): OpenWorld {
  const random = new Random(testSeed());
  return (shards) => {
    const log = new MemoryLog({ shards, random: () => random.next(), rules });
    log.holdsLate = true;
    return Promise.resolve({
      connect: () => {
        const engine = log.connect();
        return Promise.resolve({ engine, doom: (fate) => engine.doom(fate) });
      },
      deliver: () => deliver(log),
      close: () => Promise.resolve(),
    });
  };
}

async function deliver(log: MemoryLog): Promise<void> {
  log.holdsLate = false;
  await log.settled();
  log.holdsLate = true;
}

export function memoryNodeWorld(rules: NodeRules = KEPT_NODE_RULES): OpenNodeWorld {
  const random = new Random(testSeed());
  return () => {
    const log = new MemoryLog({ shards: 1, random: () => random.next() });
    log.holdsLate = true;
    return Promise.resolve({
      connect: () => {
        const nodes = new MemoryNodes(log, rules);
        return Promise.resolve({ nodes, doom: (fate) => nodes.doom(fate) });
      },
      deliver: () => deliver(log),
      close: () => Promise.resolve(),
    });
  };
}

/** How many cases of nodes an engine with these rules fails. */
export async function nodeFailures(rules: NodeRules): Promise<number> {
  const cases: (() => Promise<void>)[] = [];
  nodesCases(memoryNodeWorld(rules), (_name, run) => void cases.push(run));
  let count = 0;
  for (const run of cases) await run().catch(() => void count++);
  return count;
}

export function allCases(open: OpenWorld): (() => Promise<void>)[] {
  const cases: (() => Promise<void>)[] = [];
  const say = (_name: string, run: () => Promise<void>): void => void cases.push(run);
  engineCases(open, say);
  snapshotCases(open, say);
  return cases;
}
