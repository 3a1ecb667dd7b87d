import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { isLongRun } from './test/kit/rounds.ts';

/** Campaigns are the files that say how many rounds they run. */
const campaigns = (): string[] =>
  globSync('test/**/*.test.ts').filter((file) => readFileSync(file, 'utf8').includes('kit/rounds.ts'));

export default defineConfig({
  // Vite would take the development build of graphql, graphql-jit takes the plain one: two copies that do not know each other.
  resolve: { alias: [{ find: /^graphql$/, replacement: fileURLToPath(import.meta.resolve('graphql')) }] },
  test: {
    pool: 'forks',
    globalSetup: './test/kit/built-programs.ts',
    include: isLongRun ? campaigns() : ['test/**/*.test.ts'],
    // Many tests wait for processes, disks and timers: a core less for vitest's own would leave half of two idle.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 30_000,
    hookTimeout: 30_000,
    reporters: ['default', './test/kit/count-reporter.ts'],
  },
});
