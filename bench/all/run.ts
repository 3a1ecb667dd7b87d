/** `npm run bench:all [-- flags]`: every case and every peer, one after the other, into one JSON that the document is made of. Started again it goes on. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { span } from '#bench/kit/format.ts';
import { commitOf, ROOT } from '#bench/kit/machine.ts';
import { parseOptions } from '#bench/kit/options.ts';
import { runStep } from './child.ts';
import { HELP, parseAll, type AllOptions } from './options.ts';
import { begun, isDone, resumed, save, withStep, type Step } from './record.ts';
import { everything } from './steps.ts';

const log = (text: string): void => void process.stderr.write(text);

function summaryOf({ report, failure, tookSeconds }: Step): string {
  const why = failure ?? report?.failures.map(({ message }) => message).join('; ') ?? '';
  return `${why === '' ? 'done' : `FAILED: ${why}`}, ${span(tookSeconds)}\n`;
}

/** Gives whether every step has been measured. */
async function measureAll({ json, fresh, flags, data, only }: AllOptions): Promise<boolean> {
  const start = begun(commitOf(ROOT), flags);
  let record = (fresh ? null : resumed(json, start)) ?? start;
  const wishes = everything(parseOptions(flags)).filter(({ name }) => only.length === 0 || only.includes(name));
  const left = wishes.filter(({ name }) => !isDone(record, name));
  let seconds = left.reduce((sum, one) => sum + one.seconds, 0);
  if (left.length < wishes.length) log(`${wishes.length - left.length} steps are in ${json} already (--fresh: anew)\n`);
  log(`This takes about ${span(seconds)}. Nothing else should run meanwhile.\n`);
  if (data !== undefined) mkdirSync(data, { recursive: true });
  const place = mkdtempSync(join(data ?? tmpdir(), 'skep-bench-all-'));
  chmodSync(place, 0o711); // PostgreSQL's user enters it
  const clean = (): void => rmSync(place, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  const interrupted = (): void => process.exit(130);
  process.once('exit', clean).once('SIGINT', interrupted).once('SIGTERM', interrupted);
  // The cases share a directory: the demo is provisioned once. Peers have one of their own, which others may enter.
  const dirs = { case: join(place, 'cases'), peers: join(place, 'peers') };
  for (const [no, wish] of left.entries()) {
    log(`[${no + 1}/${left.length}] ${wish.name} … (about ${span(seconds)} left) `);
    const at = { json: join(place, 'step.json'), flags: [...flags, '--data', dirs[wish.kind]] };
    const step = await runStep(wish, at);
    record = withStep(record, step);
    save(json, record);
    seconds -= wish.seconds;
    log(summaryOf(step));
  }
  return wishes.every(({ name }) => isDone(record, name));
}

async function main(args: readonly string[]): Promise<number> {
  const options = parseAll(args);
  if (options === null) {
    process.stdout.write(HELP);
    return 0;
  }
  const whole = await measureAll(options);
  process.stdout.write(`${options.json}\nnpm run bench:document ${options.json}     makes docs/benchmarks.md of it\n`);
  return whole ? 0 : 1;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  log(`bench:all: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
