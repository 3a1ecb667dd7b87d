/** `npm run bench [name …] [flags]`: without a name it says what there is; exit 1 only on errors, never for slowness. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cases } from './cases.ts';
import { estimate, runCases, withBench, type BenchCase } from './harness.ts';
import { pictureOf } from './kit/flame.ts';
import { span } from './kit/format.ts';
import { ROOT } from './kit/machine.ts';
import { parseOptions, type Options } from './kit/options.ts';
import { profileText, readProfiles } from './kit/profile.ts';
import { hasErrors, reportText } from './kit/report.ts';
import { chosen, usage } from './kit/usage.ts';

const log = (text: string): void => void process.stderr.write(text);

async function measure(selected: readonly BenchCase[], options: Options): Promise<boolean> {
  log(`This takes about ${span(estimate(selected, options))}. Nothing else should run meanwhile.\n`);
  const profileDir = options.profile ? join(ROOT, 'bench/results', `profile-${Date.now()}`) : undefined;
  if (profileDir !== undefined) mkdirSync(profileDir, { recursive: true });
  const report = await withBench(options, profileDir, log, (bench) => {
    if (bench.machine.fileSystem === 'tmpfs')
      log('The data directory is in memory: durable figures mean nothing there. Name one on a disk with --data.\n');
    return runCases(selected, bench);
  });
  process.stdout.write(`\n${reportText(report)}`);
  if (profileDir !== undefined) process.stdout.write(profiled(profileDir, options.names));
  if (options.json !== undefined) {
    mkdirSync(dirname(options.json), { recursive: true });
    writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
  }
  return !hasErrors(report);
}

/** Draws what the threads did beside their profiles, and gives the tables of it. */
function profiled(folder: string, names: readonly string[]): string {
  const threads = readProfiles(folder);
  const picture = join(folder, 'flame.svg');
  writeFileSync(picture, pictureOf(names.join(', '), threads));
  return `\nprofiles in ${folder}, drawn in ${picture}\n${profileText(threads)}`;
}

/** Servers run from bundles, as `npm start` and the package do, unless SKEP_DIST says otherwise (empty: from the sources). */
function bundle(): void {
  if (process.env['SKEP_DIST'] !== undefined) return;
  execFileSync(process.execPath, [join(ROOT, 'runtime/cli/build.ts')], { stdio: ['ignore', 'ignore', 'inherit'] });
  process.env['SKEP_DIST'] = join(ROOT, 'dist');
}

async function main(args: readonly string[]): Promise<number> {
  const options = parseOptions(args);
  if (options.help || options.names.length === 0) {
    process.stdout.write(usage(cases, options));
    return 0;
  }
  const selected = chosen(cases, options.names);
  if (selected.some(({ http }) => http)) bundle();
  return (await measure(selected, options)) ? 0 : 1;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  log(`bench: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
