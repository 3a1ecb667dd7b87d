import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { isLongRun } from './test/kit/rounds.ts';

/** The test files of some rooms; in a long run those alone that say how many rounds they run. */
function of(rooms: string): string[] {
  const files = `test/${rooms}/**/*.test.ts`;
  if (!isLongRun) return [files];
  return globSync(files).filter((file) => readFileSync(file, 'utf8').includes('kit/rounds.ts'));
}

export default defineConfig({
  // Vite would take the development build of graphql, graphql-jit takes the plain one: two copies that do not know each other.
  resolve: { alias: [{ find: /^graphql$/, replacement: fileURLToPath(import.meta.resolve('graphql')) }] },
  test: {
    pool: 'forks',
    globalSetup: './test/kit/built-programs.ts',
    // Many tests wait for processes, disks and timers: a core less for vitest's own would leave half of two idle.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 30_000,
    hookTimeout: 30_000,
    reporters: ['default', './test/kit/count-reporter.ts'],
    projects: [
      // Pure behaviour: a process that has loaded a module keeps it for the next file.
      { extends: true, test: { name: 'units', include: of('{actors,bench,config,storage}'), isolate: false } },
      // What starts nodes, threads and processes, counts memory or descriptors: a process of its own for each file.
      { extends: true, test: { name: 'nodes', include: of('{architecture,crash,runtime,scenario}') } },
    ],
  },
});
