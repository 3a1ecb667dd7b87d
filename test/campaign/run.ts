/** `npm run campaign`: runs campaigns for as long as one wishes, prints what they counted, and adds it to a record. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { measureFsync } from '#bench/kit/fsync-rate.ts';
import { describeMachine } from '#bench/kit/machine.ts';
import { ROOT } from '#runtime/place.ts';
import { skepVersion } from '#runtime/version.ts';
import { SEED_VARIABLE } from '#test/kit/seed.ts';
import { coveredBefore, coveredIn, TALLY_FILE } from '#test/kit/tally.ts';
import { CAMPAIGNS } from './campaigns.ts';
import { parseOptions, usage, type Options } from './options.ts';
import { runsAgain } from './pace.ts';
import { addRun, countsIn, coveredBy, recordOf, type CampaignRun, type Run, type Violation } from './record.ts';
import { countsText, progressLine, summary } from './summary.ts';

const FSYNC_MS = 1000;
const PROGRESS_MS = 30_000;
const TEST_TIMEOUT_MS = 36_000_000;
/** A campaign that has so long for itself runs with the rounds of CI, a shorter one with those of `npm test`. */
const MANY_ROUNDS_MS = 15 * 60_000;

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

const stop = new AbortController();
process.on('SIGINT', () => {
  if (stop.signal.aborted) process.exit(130);
  stop.abort();
  process.stderr.write('campaign: the one that runs is let end; again to stop at once\n');
});

/** One pass over the files of a campaign, whose output goes to the terminal as well. */
function pass(name: string, env: Readonly<Record<string, string>>): Promise<Ended> {
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--test-timeout', String(TEST_TIMEOUT_MS), ...CAMPAIGNS[name]!.files];
  // In a group of its own: an interrupt of the terminal lets it end.
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      process.stderr.write(text);
    });
  return new Promise((resolve) => child.on('exit', (code) => resolve({ code, output })));
}

const COUNT = /^(\d+) passed, (\d+) failed$/m;

async function campaign(
  name: string,
  shareMs: number | null,
  dir: string,
  violations: Violation[],
  before: readonly CampaignRun[],
): Promise<CampaignRun> {
  const tallied = join(dir, `${name}.jsonl`);
  const done = coveredBy(before);
  writeFileSync(tallied, done === null ? '' : coveredBefore(done));
  const run = shareMs === null ? 'campaign' : shareMs >= MANY_ROUNDS_MS ? 'ci' : '';
  const began = performance.now();
  let [times, tests] = [0, 0];
  const saying = setInterval(() => {
    const spentMs = performance.now() - began;
    const counted = countsText(countsIn(readFileSync(tallied, 'utf8')));
    const line = progressLine({ name, times, spentMs, shareMs, counted, violations: violations.length });
    process.stderr.write(`${line}\n`);
  }, PROGRESS_MS);
  while (!stop.signal.aborted && runsAgain({ shareMs }, performance.now() - began, times)) {
    const seed = Math.floor(Math.random() * 2 ** 31);
    const { code, output } = await pass(name, {
      [TALLY_FILE]: tallied,
      SKEP_TEST_RUN: run,
      [SEED_VARIABLE]: String(seed),
    });
    times++;
    tests += Number(COUNT.exec(output)?.[1] ?? 0);
    if (code === 0) continue;
    const failures = output.split('\n').filter((line) => line.startsWith('failed: '));
    violations.push({ campaign: name, seed, failures: failures.length > 0 ? failures : [`ended with ${code}`] });
  }
  clearInterval(saying);
  const seconds = Math.round((performance.now() - began) / 1000);
  const text = readFileSync(tallied, 'utf8');
  const covered = coveredIn(text);
  return { name, seconds, times, tests, counts: countsIn(text), ...(covered !== undefined && { covered }) };
}

async function runAll({ names, forMs, to }: Options): Promise<Run> {
  const dir = mkdtempSync(join(tmpdir(), 'skep-campaign-'));
  try {
    const machine = describeMachine(dir, new Date());
    const fsyncPerSecond = Math.round(measureFsync(dir, FSYNC_MS).perSecond);
    const campaigns: CampaignRun[] = [];
    const violations: Violation[] = [];
    const shareMs = forMs === null ? null : forMs / names.length;
    const earlier = to !== null && existsSync(to) ? recordOf(readFileSync(to, 'utf8')).runs : [];
    for (const name of names) {
      if (stop.signal.aborted) break;
      const before = earlier.flatMap((run) => run.campaigns).filter((one) => one.name === name);
      campaigns.push(await campaign(name, shareMs, dir, violations, before));
    }
    const run = { machine, fsyncPerSecond, campaigns, violations };
    if (to !== null) addRun(to, skepVersion(), run);
    return run;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

try {
  const options = parseOptions(process.argv.slice(2));
  if (options.help) process.stdout.write(usage());
  else {
    const run = await runAll(options);
    process.stdout.write(summary(run));
    if (run.violations.length > 0) process.exitCode = 1;
  }
} catch (error) {
  process.stderr.write(`campaign: ${(error as Error).message}\n`);
  process.exitCode = 2;
}
