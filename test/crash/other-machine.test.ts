/**
 * One node over a replicated disk (docs/operate/replicated-disk.md): its machine ends under load, or its disk does, another machine
 * mounts the replica and serves from it: whatever was acknowledged is there. A disk that says of a sync that it is done, and has not
 * done it, is noticed. Rounds: test/kit/rounds.ts.
 */
import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canMountBlocks, makeDisk, mountOn, replicaOf, type Machine } from '#test/kit/block-disk.ts';
import { canBreakDisk, FailingDisk } from '#test/kit/failing-disk.ts';
import { writePlatformFile } from '#test/kit/platform-file.ts';
import { startProcess } from '#test/kit/process-node.ts';
import { rounds } from '#test/kit/rounds.ts';
import { tally } from '#test/kit/tally.ts';
import { startTestNode } from '#test/kit/test-node.ts';
import { drive, emptyLedger, verify, verifySubmissions, type Ledger } from './row-ledger.ts';

const ROUNDS = rounds({ suite: 2, ci: 2 });
const CALLERS = 12;
const DISK_MIB = 512;
const TAKEOVER_MS = 60_000;

describe.skipIf(!canMountBlocks() || !canBreakDisk())('a node over a replicated disk', () => {
  const dir = mkdtempSync(join(tmpdir(), 'skep-machines-'));
  const data = join(dir, 'data');
  const [used, replica] = [join(dir, 'used.img'), join(dir, 'replica.img')];
  let fault: FailingDisk;
  let file: string;
  let key: string;
  let machine: Machine | null = null;
  let nextMachine = 1;

  beforeAll(async () => {
    const prepared = await startTestNode({ dir });
    key = prepared.serviceKey;
    await prepared.stop();
    file = writePlatformFile(dir);
    fault = new FailingDisk(dir);
    makeDisk(used, data, DISK_MIB);
    rmSync(data, { recursive: true });
    mkdirSync(data);
  }, 120_000);
  afterAll(async () => {
    await machine?.off();
    rmSync(dir, { recursive: true, force: true });
  });

  /** The next machine mounts the disk, finds what was acknowledged, and writes until `ends` has ended its node. */
  async function serve(
    ledger: Ledger,
    ends: (end: () => Promise<number | string>) => unknown,
  ): Promise<number | string> {
    machine = await mountOn(`machine-${nextMachine++}`, used, data);
    const node = await startProcess(file, fault.env, machine.wrapper);
    try {
      await verify(node, key, ledger);
      verifySubmissions(join(machine.outside, 'intake', 'jsonl'), ledger);
      const enough = ledger.created.size + 50;
      const load = Array.from({ length: CALLERS }, (_, no) => drive(node, key, ledger, `m${nextMachine}c${no}`));
      await expect.poll(() => ledger.created.size, { timeout: TAKEOVER_MS }).toBeGreaterThan(enough);
      await ends(() => node.end('SIGKILL'));
      const how = await node.exited;
      await Promise.all(load);
      return how;
    } finally {
      await node.end('SIGKILL');
    }
  }

  /** The disk as it was when the node ended becomes that of the next machine; what the old one still writes goes to a disk that is out of use. */
  async function handOver(): Promise<void> {
    await replicaOf(used, replica);
    await machine!.off();
    machine = null;
    renameSync(replica, used);
  }

  async function judged(ledger: Ledger): Promise<void> {
    await serve(ledger, (end) => end());
    await handOver();
  }

  test(
    `${ROUNDS} machines end under load, and ${ROUNDS} disks fail: the next one has all that was acknowledged`,
    { timeout: 60_000 + 4 * ROUNDS * TAKEOVER_MS },
    async () => {
      const ledger = emptyLedger();
      for (let round = 0; round < ROUNDS; round++) {
        expect(await serve(ledger, (end) => end())).toBe('SIGKILL');
        await handOver();
        // The supervisor's cue to move the node.
        expect(await serve(ledger, () => fault.breakFor('/journal/'))).toBe(70);
        fault.mend();
        await handOver();
      }
      await judged(ledger);
      tally({ acknowledged: ledger.created.size + ledger.submitted.size, faults: ROUNDS });
    },
  );

  test('a disk that only says that it has synced is noticed', { timeout: 4 * TAKEOVER_MS }, async () => {
    const ledger = emptyLedger();
    fault.feignFor('');
    await serve(ledger, (end) => end());
    fault.mend();
    await handOver();
    // Rows are missing, or pages of LMDB are, or it does not start.
    await expect(judged(ledger)).rejects.toThrow(/acknowledged create|ended SIG(BUS|SEGV)|ended 1: |damage/);
  });
});
