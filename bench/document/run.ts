/** `npm run bench:document <run.json> …`: takes runs into docs/benchmarks.json in place of what they measured again, or, with `--anew`, of everything; then docs/benchmarks.md and its pictures are made of it, whole and anew. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runsOf, type Record } from '#bench/all/record.ts';
import { ROOT } from '#bench/kit/machine.ts';
import { keep, keptIn, withRuns } from './kept.ts';
import { benchmarkPage, type Run } from './page.ts';

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
  const { positionals: files, values } = parseArgs({ options: { anew: { type: 'boolean' } }, allowPositionals: true });
  const kept = join(ROOT, 'docs/benchmarks.json');
  const runs = withRuns(values.anew === true ? [] : keptIn(kept), files.flatMap(readRuns));
  if (runs.length === 0)
    throw new Error('name the JSON of one or more runs: npm run bench:document bench/results/all.json');
  const { page, pictures } = benchmarkPage(runs);
  keep(kept, runs);
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
