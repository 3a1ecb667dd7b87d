/** The engine in memory as a world of the cases, and the cases as a list. */
import { KEPT_RULES } from '#storage/log-engine/memory-statements.ts';
import type { MemoryRules } from '#storage/log-engine/memory-statements.ts';
import { MemoryLog } from '#storage/log-engine/memory.ts';
import { Random } from '#test/kit/random.ts';
import { testSeed } from '#test/kit/seed.ts';
import { engineCases } from './engine.cases.ts';
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
      deliver: async () => {
        log.holdsLate = false;
        await log.settled();
        log.holdsLate = true;
      },
      close: () => Promise.resolve(),
    });
  };
}

export function allCases(open: OpenWorld): (() => Promise<void>)[] {
  const cases: (() => Promise<void>)[] = [];
  const say = (_name: string, run: () => Promise<void>): void => void cases.push(run);
  engineCases(open, say);
  snapshotCases(open, say);
  return cases;
}
