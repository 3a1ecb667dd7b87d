/**
 * A node that gets too little memory while it serves: RLIMIT_DATA is lowered to a little above what it has. It goes on or it ends; started without the limit, it has all that was
 * acknowledged, and nothing half. (The kernel's killer of a full cgroup is a SIGKILL, which test/crash/kill.test.ts has.) What small numbers of descriptors do
 * is in test/scenario/descriptors.test.ts.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { writePlatformFile } from '#test/kit/platform-file.ts';
import { startProcess } from '#test/kit/process-node.ts';
import { Random } from '#test/kit/random.ts';
import { rounds } from '#test/kit/rounds.ts';
import { testSeed } from '#test/kit/seed.ts';
import { tally } from '#test/kit/tally.ts';
import { startTestNode } from '#test/kit/test-node.ts';
import { drive, emptyLedger, verify, verifySubmissions } from './row-ledger.ts';

const PRLIMIT = '/usr/bin/prlimit';
const ROUNDS = rounds({ suite: 1, ci: 2 });
const CALLERS = 24;
/** Above what it has: from nothing to what a few seconds of load take. */
const ROOM_MB = [0, 1, 4, 16, 64];
const SERVED_MS = 3000;
const dir = mkdtempSync(join(tmpdir(), 'skep-limited-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** The limit, in bytes. */
function limitMemory(pid: number, roomMb: number): void {
  const [, kb] = /^VmData:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!;
  execFileSync(PRLIMIT, ['--pid', String(pid), `--data=${(Number(kb) + roomMb * 1024) * 1024}`]);
}

test.skipIf(!existsSync(PRLIMIT) && process.env['CI'] === undefined)(
  `too little memory loses nothing, ${ROUNDS} times`,
  { timeout: 120_000 + ROUNDS * 60_000 },
  async () => {
    const prepared = await startTestNode({ dir });
    const key = prepared.serviceKey;
    await prepared.stop();
    const file = writePlatformFile(dir);
    const ledger = emptyLedger();
    const random = new Random(testSeed());
    const ends: (number | string)[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const node = await startProcess(file);
      await verify(node, key, ledger);
      const load = Array.from({ length: CALLERS }, (_, caller) => drive(node, key, ledger, `r${round}c${caller}`));
      const before = ledger.created.size;
      await expect.poll(() => ledger.created.size, { timeout: 60_000 }).toBeGreaterThan(before + CALLERS);
      limitMemory(node.pid, random.pick(ROOM_MB));
      tally({ starvations: 1 });
      const served = new Promise<void>((resolve) => void setTimeout(resolve, SERVED_MS));
      const how = await Promise.race([node.exited, served.then(() => node.end('SIGKILL'))]);
      ends.push(how);
      await Promise.all(load);
    }
    const node = await startProcess(file);
    await verify(node, key, ledger);
    verifySubmissions(join(dir, 'data', 'intake', 'jsonl'), ledger);
    expect(await node.end('SIGTERM')).toBe(0);
    tally({ acknowledged: ledger.created.size + ledger.submitted.size });
    console.log(`it ended by ${ends.join(', ')}`);
  },
);
