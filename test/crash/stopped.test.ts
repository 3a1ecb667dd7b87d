/**
 * The whole process stands still (SIGSTOP, as a paused virtual machine or a sleeping laptop does) for longer than a disk may take to answer, under clients, and goes on:
 * a disk that was not asked meanwhile is not taken for dead, and what was acknowledged is there. One thread alone cannot be stopped in a process: what a
 * thread does that stands still is in test/scenario/watchdog.test.ts. Rounds: test/kit/rounds.ts.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { writePlatformFile } from '#test/kit/platform-file.ts';
import { startProcess } from '#test/kit/process-node.ts';
import { rounds } from '#test/kit/rounds.ts';
import { tally } from '#test/kit/tally.ts';
import { call, startTestNode } from '#test/kit/test-node.ts';
import { drive, emptyLedger, verify, verifySubmissions } from './row-ledger.ts';

const ROUNDS = rounds({ suite: 1, ci: 1 });
const CALLERS = 24;
const STOP_MS = limits.storage.commitAnswerMs + 1500;
const dir = mkdtempSync(join(tmpdir(), 'skep-stopped-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

test(`a process that stood still goes on, ${ROUNDS} times`, { timeout: 120_000 + ROUNDS * 60_000 }, async () => {
  const prepared = await startTestNode({ dir });
  const key = prepared.serviceKey;
  await prepared.stop();
  const file = writePlatformFile(dir);
  const ledger = emptyLedger();
  for (let round = 0; round < ROUNDS; round++) {
    const node = await startProcess(file);
    const load = Array.from({ length: CALLERS }, (_, caller) => drive(node, key, ledger, `r${round}c${caller}`));
    const count = (): number => ledger.created.size + ledger.submitted.size;
    const before = count();
    await expect.poll(count, { timeout: 60_000 }).toBeGreaterThan(before + CALLERS);
    process.kill(node.pid, 'SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, STOP_MS));
    process.kill(node.pid, 'SIGCONT');
    tally({ stops: 1 });
    // What is under way is answered, and more is taken; a node that has ended takes no more, and says why.
    const stopped = count();
    const goesOn = (): number => count() - stopped;
    await expect.poll(goesOn, { timeout: 60_000, message: node.stderr() }).toBeGreaterThan(2 * CALLERS);
    await expect
      .poll(async () => (await call(node.listeners['operations']!, 'GET', '/readyz')).status, { timeout: 60_000 })
      .toBe(200);
    await node.end('SIGKILL');
    await Promise.all(load);
  }
  const node = await startProcess(file);
  await verify(node, key, ledger);
  verifySubmissions(join(dir, 'data', 'intake', 'jsonl'), ledger);
  expect(await node.end('SIGTERM')).toBe(0);
  tally({ acknowledged: ledger.created.size + ledger.submitted.size });
});
