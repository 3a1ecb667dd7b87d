/** `npm run bench:compare <ref> [case …] [-- flags]`: is this working tree slower than that commit? Exit 1 when it is. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from '#bench/kit/machine.ts';
import type { RunReport } from '#bench/kit/report.ts';
import { HELP, parseCompare, type CompareOptions } from './options.ts';
import { compareCases, comparisonText, isBad, type RunCase } from './rounds.ts';
import { checkOut } from './trees.ts';

const log = (text: string): void => void process.stderr.write(text);

/** Runs one case once with a tree's own bench, in a process of its own: the compiler starts anew each time. */
function runnerOf(roots: Readonly<Record<'base' | 'branch', string>>, place: string, options: CompareOptions): RunCase {
  let runs = 0;
  return async (side, name) => {
    const json = join(place, `run-${runs++}.json`);
    const args = ['bench/run.ts', name, '--pairs', '1', '--json', json, '--data', join(place, side)];
    if (options.seconds !== undefined) args.push('--seconds', options.seconds);
    await inTree(roots[side], args);
    return JSON.parse(readFileSync(json, 'utf8')) as RunReport;
  };
}

/** From the sources, as trees of before the bundles do. The bench ends with 1 when a case failed, which its JSON says in detail: only without one is its end an error. */
function inTree(root: string, args: readonly string[]): Promise<void> {
  const json = args[args.indexOf('--json') + 1]!;
  return new Promise((resolve, reject) => {
    const child = execFile(
      process.execPath,
      args,
      { cwd: root, maxBuffer: 2 ** 26, env: { ...process.env, SKEP_DIST: '' } },
      (error, _stdout, stderr) => {
        process.off('exit', kill);
        try {
          readFileSync(json);
          resolve();
        } catch {
          reject(new Error(stderr.trim().split('\n').at(-1) ?? error?.message ?? 'the bench left no figures'));
        }
      },
    );
    const kill = (): void => void child.kill('SIGTERM');
    process.once('exit', kill);
  });
}

async function compare(options: CompareOptions): Promise<number> {
  const base = checkOut(ROOT, options.ref);
  const place = mkdtempSync(join(options.data ?? tmpdir(), 'skep-compare-'));
  const clean = (): void => {
    base.remove();
    rmSync(place, { recursive: true, force: true });
  };
  const interrupted = (): void => process.exit(130);
  process.once('exit', clean).once('SIGINT', interrupted).once('SIGTERM', interrupted);
  const run = runnerOf({ base: base.root, branch: ROOT }, place, options);
  const runCase: RunCase = (side, name) => {
    log(`${name}: ${side} …\n`);
    return run(side, name);
  };
  const { pairs, threshold } = options;
  const comparison = await compareCases(options.cases, runCase, { pairs, threshold });
  process.stdout.write(
    `\nbase ${options.ref} (${base.commit}), branch this working tree, ${pairs} alternating pairs\n\n`,
  );
  process.stdout.write(comparisonText(comparison));
  if (options.json !== undefined) {
    mkdirSync(dirname(options.json), { recursive: true });
    const document = { base: base.commit, pairs, threshold, ...comparison };
    writeFileSync(options.json, `${JSON.stringify(document, null, 2)}\n`);
  }
  return isBad(comparison) ? 1 : 0;
}

async function main(args: readonly string[]): Promise<number> {
  const options = parseCompare(args);
  if (options !== null) return await compare(options);
  process.stdout.write(HELP);
  return 0;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  log(`bench:compare: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
