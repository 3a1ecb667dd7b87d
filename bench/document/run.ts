/** `npm run bench:document <run.json> …`: docs/benchmarks.md and its pictures out of the JSON of runs, whole and anew. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runsOf } from '#bench/all/record.ts';
import type { Record } from '#bench/all/record.ts';
import { ROOT } from '#bench/kit/machine.ts';
import { benchmarkPage } from './page.ts';
import type { Run } from './page.ts';

/** Of one run, or of a run of everything, which is two. Throws when it is the JSON of something else. */
function readRuns(path: string): Run[] {
  const found = JSON.parse(readFileSync(path, 'utf8')) as Partial<Run> & Partial<Pick<Record, 'steps'>>;
  return Array.isArray(found.steps) ? runsOf({ steps: found.steps }) : [readRun(path, found)];
}

function readRun(path: string, run: Partial<Run>): Run {
  if (!Array.isArray(run.figures) || !Array.isArray(run.failures) || run.machine === undefined)
    throw new Error(`${path} is not the JSON of a run: npm run bench <cases> -- --json <file>`);
  return run as Run;
}

try {
  const files = process.argv.slice(2);
  if (files.length === 0)
    throw new Error('name the JSON of one or more runs: npm run bench:document bench/results/all.json');
  const { page, pictures } = benchmarkPage(files.flatMap(readRuns));
  const folder = join(ROOT, 'docs/benchmarks');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, svg] of pictures) writeFileSync(join(folder, name), svg);
  writeFileSync(join(ROOT, 'docs/benchmarks.md'), page);
  process.stdout.write(`docs/benchmarks.md and ${pictures.size} pictures written\n`);
} catch (error) {
  process.stderr.write(`bench:document: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
