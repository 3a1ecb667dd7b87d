import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { isLongFile, leftOut, namedFiles } from './test/kit/long-files.ts';
import { LongestFirst } from './test/kit/longest-first.ts';
import { isLongRun } from './test/kit/rounds.ts';

const ARGS = process.argv.slice(2);

/** Files of some rooms; in a long run that names none of them, those alone that take long or say how many rounds they run. */
function of(...patterns: readonly string[]): string[] {
  if (!isLongRun || namedFiles(ARGS).length > 0) return [...patterns];
  const isLong = (file: string) => isLongFile(file) || readFileSync(file, 'utf8').includes('kit/rounds.ts');
  return globSync(patterns).filter(isLong);
}

const LEFT_OUT = isLongRun ? [] : leftOut(ARGS);

/** Scenarios start nodes and leave nothing of them: a process that has loaded the node once, which takes it two seconds, runs one file after the other. */
const SCENARIOS = ['test/scenario/**/*.test.ts'];
/**
 * What counts the memory, threads, descriptors or modules of its own process or changes its variables, jq, whose memory keeps what earlier programs left, and
 * millions of turns of the loop, which take twenty times as long in a process that has run other files.
 */
const APART = [
  'test/{crash,fuzz,simulation}/**/*.test.ts',
  'test/runtime/{embed,place,backups/node-backups,cluster/shard-copies,observe/logger}.test.ts',
  'test/runtime/{jobs,supervisor}/**/*.test.ts',
  'test/runtime/cli/{client-files,service}.test.ts',
  'test/runtime/door/{closed-memory,gate,no-addon}.test.ts',
  'test/scenario/{descriptors,new-product,package,runaways}.test.ts',
  'test/actors/kit/jq/**/*.test.ts',
  'test/client/offline-cuts.test.ts',
];
const UNITS = ['test/{actors,architecture,bench,campaign,client,config,console,planted,runtime,storage}/**/*.test.ts'];

export default defineConfig({
  // Vite would take the development build of graphql, graphql-jit takes the plain one: two copies that do not know each other.
  resolve: { alias: [{ find: /^graphql$/, replacement: fileURLToPath(import.meta.resolve('graphql')) }] },
  test: {
    pool: 'forks',
    globalSetup: './test/kit/built-programs.ts',
    // Many tests wait for processes, disks and timers, which leaves a quarter of two cores idle when two files run at once.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // The second that vitest waits by itself is a timed assertion: a machine with other work misses it.
    expect: { poll: { timeout: 20_000 } },
    reporters: ['default', './test/kit/count-reporter.ts'],
    projects: [
      // Pure behaviour: a process that has loaded a module keeps it for the next file.
      {
        extends: true,
        test: { name: 'units', include: of(...UNITS), exclude: [...APART, ...LEFT_OUT], isolate: false },
      },
      {
        extends: true,
        test: { name: 'nodes', include: of(...SCENARIOS), exclude: [...APART, ...LEFT_OUT], isolate: false },
      },
      { extends: true, test: { name: 'apart', include: of(...APART), exclude: LEFT_OUT } },
    ],
  },
});
