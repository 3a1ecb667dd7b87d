/**
 * A sync that fails with EIO under load: nothing is acknowledged after it, the process ends with exit code 70, and the restarted
 * node holds every acknowledged write, although what the failed sync should have saved is lost (docs/contract/common.md §8.2).
 * Rounds for each place: SKEP_EIO_ROUNDS, test/kit/rounds.ts.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canBreakDisk, FailingDisk } from '#test/kit/failing-disk.ts';
import { TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { startProcess, type ProcessNode } from '#test/kit/process-node.ts';
import { readLog } from '#test/kit/intake-log.ts';
import { tally } from '#test/kit/tally.ts';
import { call, exchange, positionHeaders, startTestNode, type Headers } from '#test/kit/test-node.ts';
import { rounds } from '#test/kit/rounds.ts';

const ROUNDS = rounds({ suite: 1, ci: 1 }, 'SKEP_EIO_ROUNDS');
const CALLERS = 12;

interface Acknowledged {
  /** What was acknowledged: names of rows, ids of submissions. */
  readonly rows: string[];
  readonly submissions: string[];
  /** When the newest acknowledgement of each kind arrived. */
  lastRowAt: number;
  lastSubmissionAt: number;
}

describe.skipIf(!canBreakDisk())('EIO on a sync', () => {
  const dir = mkdtempSync(join(tmpdir(), 'skep-eio-'));
  const acknowledged: Acknowledged = { rows: [], submissions: [], lastRowAt: 0, lastSubmissionAt: 0 };
  let disk: FailingDisk;
  let file: string;
  let key: string;
  beforeAll(async () => {
    const prepared = await startTestNode({ dir });
    key = prepared.serviceKey;
    await prepared.stop();
    file = writePlatformFile(dir);
    disk = new FailingDisk(dir);
  });
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  /** Breaks the disk for one place while callers write; gives when the failure was told. */
  async function breakUnderLoad(part: string): Promise<number> {
    const node = await startProcess(file, disk.env);
    const headers = await service(node);
    const load = Array.from({ length: CALLERS }, (_, no) => [
      createRows(node, headers, `${part}-${Date.now()}-${no}`, acknowledged),
      submitForms(node, acknowledged),
    ]).flat();
    const before = acknowledged.rows.length + acknowledged.submissions.length;
    try {
      await expect.poll(() => acknowledged.rows.length + acknowledged.submissions.length).toBeGreaterThan(before + 50);
      disk.breakFor(part);
      const how = await node.exited;
      await Promise.all(load);
      expect(how, node.stderr()).toBe(70);
      tally({ faults: 1 });
      return disk.failedAt;
    } catch (fault) {
      // It would keep its directory, and every round behind this one would fail for that.
      await node.end('SIGKILL');
      throw fault;
    } finally {
      disk.mend();
    }
  }

  async function service(node: ProcessNode): Promise<Headers> {
    return { ...positionHeaders(TENANT), Authorization: `Bearer ${await exchange(node.listeners['gateway']!, key)}` };
  }

  /** A node that started again serves, and holds every acknowledged write. */
  async function holdsAll(): Promise<void> {
    const node = await startProcess(file);
    const gateway = node.listeners['gateway']!;
    const headers = await service(node);
    const page = await call(gateway, 'GET', '/data/rest/item?limit=10000', headers);
    const names = new Set((page.json as { data: { name: string }[] }).data.map((row) => row.name));
    expect(acknowledged.rows.filter((name) => !names.has(name))).toEqual([]);
    expect((await call(gateway, 'POST', '/f/contact', {}, { name: 'n', email: 'a@example.org' })).status).toBe(200);
    expect(await node.end('SIGTERM')).toBe(0);
    const ids = new Set(readLog(join(dir, 'data', 'intake', 'jsonl')).map((line) => line.id));
    expect(acknowledged.submissions.filter((id) => !ids.has(id))).toEqual([]);
  }

  test('a sync that never answers: exit 70 too, although its thread cannot end', { timeout: 60_000 }, async () => {
    const node = await startProcess(file, disk.env);
    const load = createRows(node, await service(node), `hang-${Date.now()}`, acknowledged);
    disk.hangFor('/journal/');
    expect(await node.exited, node.stderr()).toBe(70);
    disk.mend();
    await load;
    await holdsAll();
  });

  for (let round = 1; round <= ROUNDS; round++) {
    test(`of the journal (round ${round}): no acknowledgement after it, exit 70`, { timeout: 60_000 }, async () => {
      expect(acknowledged.lastRowAt).toBeLessThanOrEqual(await breakUnderLoad('/journal/'));
      await holdsAll();
    });

    test(
      `of an LMDB commit (round ${round}): exit 70, and the journal brings it back`,
      { timeout: 60_000 },
      async () => {
        await breakUnderLoad('/shards/');
        await holdsAll();
      },
    );

    test(
      `of intake's database (round ${round}): exit 70, and the log brings it back`,
      { timeout: 60_000 },
      async () => {
        await breakUnderLoad('/intake/embedded/');
        await holdsAll();
      },
    );

    test(`of intake's log (round ${round}): no acknowledgement after it, exit 70`, { timeout: 60_000 }, async () => {
      expect(acknowledged.lastSubmissionAt).toBeLessThanOrEqual(await breakUnderLoad('/intake/jsonl/'));
      await holdsAll();
    });
  }
});

async function createRows(node: ProcessNode, headers: Headers, prefix: string, into: Acknowledged): Promise<void> {
  try {
    for (let i = 0; ; i++) {
      const name = `${prefix}-${i}`;
      const answer = await call(node.listeners['gateway']!, 'POST', '/data/rest/item', headers, { name });
      if (answer.status !== 201) continue;
      into.lastRowAt = Date.now();
      into.rows.push(name);
    }
  } catch {
    // the node has ended: what was not answered may or may not be there
  }
}

async function submitForms(node: ProcessNode, into: Acknowledged): Promise<void> {
  try {
    for (;;) {
      const body = { name: 'n', email: 'a@example.org' };
      const answer = await call(node.listeners['gateway']!, 'POST', '/f/contact', {}, body);
      if (answer.status !== 200) continue;
      into.lastSubmissionAt = Date.now();
      into.submissions.push((answer.json as { id: string }).id);
    }
  } catch {
    // likewise
  }
}
