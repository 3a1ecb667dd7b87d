import { onTestFinished } from 'vitest';
import { MemoryStore } from './memory.ts';
import { MemoryLog } from '#test/storage/log-engine/memory.ts';
import { Random } from '#test/kit/random.ts';
import { testSeed } from '#test/kit/seed.ts';
import { openOver } from '#test/storage/engine-journals/kit.ts';
import { openAt, place } from './place.ts';
import { portCases } from './port.cases.ts';

portCases('the memory store', () => {
  return Promise.resolve({ store: new MemoryStore(), settle: () => Promise.resolve() });
});

async function open(schedule?: (begin: () => void) => void): ReturnType<Parameters<typeof portCases>[1]> {
  const archive = await openAt(place(), { schedule });
  onTestFinished(() => archive.close());
  return { store: archive.store(1, 7), settle: () => archive.drain() };
}

portCases('the archive', () => open());
// Follows some turns late, so that overlay and LMDB overlap.
portCases('the archive whose LMDB lags', () => open((begin) => setTimeout(begin, 5)));

/** Over a log elsewhere. */
portCases('the archive whose log is elsewhere', async () => {
  const random = new Random(testSeed());
  const log = new MemoryLog({ shards: 2, random: () => random.next() });
  const archive = await openOver(log.connect(), place());
  onTestFinished(() => archive.close());
  return { store: archive.store(1, 7), settle: () => archive.drain() };
});
