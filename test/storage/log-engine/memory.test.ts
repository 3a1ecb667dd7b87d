/** The engine in memory keeps the port. */
import { MemoryLog } from '#storage/log-engine/memory.ts';
import { Random } from '#test/kit/random.ts';
import { testSeed } from '#test/kit/seed.ts';
import { engineCases } from './engine.cases.ts';
import { snapshotCases } from './snapshot.cases.ts';
import type { OpenWorld } from './world.ts';

const random = new Random(testSeed());

const open: OpenWorld = (shards) => {
  const log = new MemoryLog({ shards, random: () => random.next() });
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

engineCases('memory', open);
snapshotCases('memory', open);
