/**
 * A whole node runs out of descriptors while it serves (its limit is set to none that is free, as in a process whose limit is too low): every file that it opens, and every connection
 * that it takes, fails with EMFILE. Answers are declared, it goes on without a restart when there are descriptors again, and what was acknowledged is there after a kill.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { Judge } from '#test/crash/images/judge.ts';
import { CellRun } from '#test/crash/matrix/run-cell.ts';
import { copyOf, FILES, makeMatrixSite } from '#test/crash/matrix/sites.ts';
import { startProcess } from '#test/kit/process-node.ts';
import { rounds } from '#test/kit/rounds.ts';
import { tally } from '#test/kit/tally.ts';
import { call, untilWhole } from '#test/kit/test-node.ts';

const ROUNDS = rounds({ suite: 1, ci: 1 });
/** How long there are none: the journal goes on in other segments meanwhile, and logs are sealed. */
const WITHOUT_MS = 4000;
const PRLIMIT = '/usr/bin/prlimit';
const scratch = mkdtempSync(join(tmpdir(), 'skep-descriptors-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const softLimit = (pid: number): string =>
  /^Max open files\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/limits`, 'utf8'))![1]!;
const setLimit = (pid: number, soft: string): void =>
  void execFileSync(PRLIMIT, ['--pid', String(pid), `--nofile=${soft}:`]);

test.each(['plain', 'vault'] as const)('a node that is %s', { timeout: 120_000 + ROUNDS * 60_000 }, async (name) => {
  if (!existsSync(PRLIMIT)) {
    expect(process.env['CI'], 'prlimit is missing').toBeUndefined();
    console.log('skipped: no prlimit');
    return;
  }
  const site = await makeMatrixSite(scratch, name);
  const place = join(mkdtempSync(join(scratch, 'served-')), FILES);
  mkdirSync(place);
  const file = copyOf(site, place);
  const run = new CellRun(site, file);
  const node = await startProcess(file);
  const usual = softLimit(node.pid);
  let ended: number | string | null = null;
  void node.exited.then((how) => (ended = how));
  for (let round = 0; round < ROUNDS; round++) {
    await run.work(node, `w${round}`, 1, false);
    setLimit(node.pid, '1');
    const under = run.work(node, `u${round}`, 6, true);
    under.catch(() => undefined);
    await sleep(WITHOUT_MS);
    expect(ended, node.stderr() + node.logged()).toBe(null);
    setLimit(node.pid, usual);
    await under;
    await expect
      .poll(async () => (await call(node.listeners['operations']!, 'GET', '/readyz')).status, { timeout: 60_000 })
      .toBe(200);
    await untilWhole(node);
    await run.work(node, `v${round}`, 1, false);
  }
  console.log(`refused: ${[...run.refusals].join(', ')}`);
  expect(await node.end('SIGKILL')).toBe('SIGKILL');
  const judge = new Judge();
  try {
    await run.afterwards(join(place, 'data'), judge);
  } finally {
    judge.close();
  }
  expect(run.violations).toEqual([]);
  tally({ acknowledged: run.acknowledged });
});
