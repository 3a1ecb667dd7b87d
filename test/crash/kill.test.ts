/**
 * kill -9 under mixed load, again and again on one store: every acknowledged create is there once, none is half there, every
 * acknowledged submission too. Rounds: test/kit/rounds.ts.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { writePlatformFile } from '#test/kit/platform-file.ts';
import { startProcess } from '#test/kit/process-node.ts';
import { rounds, within } from '#test/kit/rounds.ts';
import { tally } from '#test/kit/tally.ts';
import { startTestNode } from '#test/kit/test-node.ts';
import { drive, emptyLedger, verify, verifySubmissions } from './row-ledger.ts';

const ROUNDS = rounds({ suite: 5, ci: 7 });
const CALLERS = 24;
const dir = mkdtempSync(join(tmpdir(), 'skep-crash-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

test(`no acknowledged write is lost in ${ROUNDS} kills`, within(60_000 + ROUNDS * 10_000), async () => {
  const prepared = await startTestNode({ dir });
  const key = prepared.serviceKey;
  await prepared.stop();
  const file = writePlatformFile(dir);
  const ledger = emptyLedger();
  const starts: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const node = await startProcess(file);
    starts.push(node.startMs);
    await verify(node, key, ledger);
    const load = Array.from({ length: CALLERS }, (_, caller) => drive(node, key, ledger, `r${round}c${caller}`));
    await new Promise((resolve) => setTimeout(resolve, 150 + Math.random() * 700));
    await node.end('SIGKILL');
    await Promise.all(load);
  }
  const node = await startProcess(file);
  starts.push(node.startMs);
  await verify(node, key, ledger);
  verifySubmissions(join(dir, 'data', 'intake', 'jsonl'), ledger);
  expect(await node.end('SIGTERM')).toBe(0);
  tally({ acknowledged: ledger.created.size + ledger.submitted.size });
  expect(ledger.created.size).toBeGreaterThan(ROUNDS);
  console.log(
    `${ledger.created.size} creates, ${ledger.submitted.size} submissions; slowest start ${Math.round(Math.max(...starts))} ms`,
  );
});
