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
import { nextOf } from './pace.ts';
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

/** A campaign, and what its runs have counted so far. */
class Underway {
  readonly name: string;
  times = 0;
  spentMs = 0;
  readonly violations: Violation[] = [];
  #tests = 0;
  readonly #tallied: string;

  constructor(name: string, dir: string, earlier: readonly Run[]) {
    this.name = name;
    this.#tallied = join(dir, `${name}.jsonl`);
    const done = coveredBy(earlier.flatMap(({ campaigns }) => campaigns).filter((one) => one.name === name));
    writeFileSync(this.#tallied, done === null ? '' : coveredBefore(done));
  }

  get #text(): string {
    return readFileSync(this.#tallied, 'utf8');
  }

  get counted(): string {
    return countsText(countsIn(this.#text));
  }

  async run(run: string, began: number): Promise<void> {
    const seed = Math.floor(Math.random() * 2 ** 31);
    const env = { [TALLY_FILE]: this.#tallied, SKEP_TEST_RUN: run, [SEED_VARIABLE]: String(seed) };
    const { code, output } = await pass(this.name, env);
    this.times++;
    this.spentMs += performance.now() - began;
    this.#tests += Number(COUNT.exec(output)?.[1] ?? 0);
    if (code === 0) return;
    const failures = output.split('\n').filter((line) => line.startsWith('failed: '));
    this.violations.push({
      campaign: this.name,
      seed,
      failures: failures.length > 0 ? failures : [`ended with ${code}`],
    });
  }

  get result(): CampaignRun {
    const { name, times } = this;
    const covered = coveredIn(this.#text);
    return {
      name,
      seconds: Math.round(this.spentMs / 1000),
      times,
      tests: this.#tests,
      counts: countsIn(this.#text),
      ...(covered !== undefined && { covered }),
    };
  }
}

/** Runs them until the time is over, and says every now and then how far they are. */
async function share(campaigns: readonly Underway[], forMs: number | null): Promise<void> {
  const shareMs = forMs === null ? null : forMs / campaigns.length;
  const run = shareMs === null ? 'campaign' : shareMs >= MANY_ROUNDS_MS ? 'ci' : '';
  const start = performance.now();
  while (!stop.signal.aborted) {
    const one = nextOf(campaigns, forMs);
    if (one === null) return;
    const began = performance.now();
    const saying = setInterval(() => {
      const now = performance.now();
      const violations = campaigns.reduce((sum, each) => sum + each.violations.length, 0);
      const { name, times, spentMs, counted } = one;
      const line = { name, times, spentMs: spentMs + now - began, allMs: now - start, forMs, counted, violations };
      process.stderr.write(`${progressLine(line)}\n`);
    }, PROGRESS_MS);
    await one.run(run, began);
    clearInterval(saying);
  }
}

async function runAll({ names, forMs, to }: Options): Promise<Run> {
  const dir = mkdtempSync(join(tmpdir(), 'skep-campaign-'));
  try {
    const machine = describeMachine(dir, new Date());
    const fsyncPerSecond = Math.round(measureFsync(dir, FSYNC_MS).perSecond);
    const earlier = to !== null && existsSync(to) ? recordOf(readFileSync(to, 'utf8')).runs : [];
    const all = names.map((name) => new Underway(name, dir, earlier));
    await share(all, forMs);
    const campaigns = all.filter(({ times }) => times > 0).map(({ result }) => result);
    const violations = all.flatMap((one) => one.violations);
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
