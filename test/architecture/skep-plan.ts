/** Skep's own floors, rooms, doors and entry points, with every exemption and its reason. */
import type { FloorPlan } from './floor-plan.ts';

/** The rooms of the seven services; a room that is not built yet does not exist. */
export const SERVICES = ['identity', 'data', 'intake', 'vault', 'bff', 'content', 'audit'] as const;

/** Files that are started, not imported. */
const ENTRIES = [
  /^runtime\/cli\/(skep\.ts|build\.ts|check\.ts|generate\.ts|install\.mjs)$/,
  /^runtime\/node\.ts$/, // startNode, for embedding
  /\.(worker|job|process|bench|test)\.ts$/,
  /^bench\/((all|compare|document|duel)\/)?run\.ts$/,
  /^bench\/peers\/[\w-]+\.mjs$/, // run with their own packages
];

export const skepPlan: FloorPlan = {
  floors: ['config', 'storage', 'actors', 'runtime'],
  outside: ['bench', 'test'],
  services: SERVICES,
  shared: ['actors/protocol', 'actors/kit', 'actors/host'],
  doors: { 'uWebSockets.js': 'runtime/door/uws.ts', lmdb: 'storage/environment.ts' },
  entries: (path) => ENTRIES.some((pattern) => pattern.test(path)),
  mayUseStorage: {
    'actors/host/': 'the host opens the stores that it gives to activations',
  },
  mayBeOrphan: {
    'storage/memory.ts': "the store port's second implementation: behaviour is tested on it",
    'storage/blob/memory.ts': "the blob port's second implementation: behaviour is tested on it",
    'test/kit/count-reporter.ts': 'named by vitest.config.ts',
    'test/kit/built-programs.ts': 'named by vitest.config.ts',
    'test/fixtures/make.ts': 'started by hand with the checkout of an earlier commit',
  },
  mayExportDefault: {
    'test/kit/count-reporter.ts': 'vitest loads a reporter by its default export',
  },
};
