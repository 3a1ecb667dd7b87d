/** What a log must outlive, on a real process: old copies, other histories, kill -9, two writers, a disk that is full or broken. Contract: docs/contract/audit.md §5, §6 (order, durability, fork and rollback). */
import { existsSync, cpSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AuditProcess, type ServedAudit } from '#test/kit/audit-process.ts';
import { FailingDisk, canBreakDisk } from '#test/kit/failing-disk.ts';
import { skep } from '#test/runtime/cli/recorder.ts';
import { rounds } from '#test/kit/rounds.ts';

const LOG = 'tenant/acme/shop/dev/main';
const LOG_PATH = `/logs/${encodeURIComponent(LOG)}`;
const KILLS = rounds({ suite: 2, ci: 2 });
const SEGMENTS = `routing: [{ log_id_pattern: '**', durability: strict, segment_max_records: 8 }]\n`;
/** Segments that are sealed before each kill. */
const SEALED_A_ROUND = 25;
const COPIES = `sync: [{ log_pattern: '**', cadence: 50ms, targets: [{ kind: fs, path: ./copy }] }]\n`;

let audit: AuditProcess;

beforeEach(() => {
  audit = new AuditProcess();
});
afterEach(() => audit.close());

const append = (served: ServedAudit, action = 'test.row', query = '') =>
  served.call('POST', `${LOG_PATH}/records${query}`, audit.service(), { action });

const verified = async (directory = join(audit.logs, LOG)) => {
  const key = join(audit.dir, 'keys', 'audit', LOG, 'signing-key.pub.pem');
  const { code, out } = await skep(`audit verify ${directory} --key ${key} --json`);
  return { code, report: JSON.parse(out) as { size: number; records: number; unsigned: number } };
};

function sizeOf(checkpoint: string): number {
  try {
    return Number(readFileSync(checkpoint, 'utf8').split('\n')[1]);
  } catch {
    return 0;
  }
}

/** Waits until the copy has a checkpoint of this size. */
async function copied(size: number): Promise<void> {
  const copy = join(audit.dir, 'copy', LOG, 'checkpoint');
  await expect.poll(() => sizeOf(copy), { interval: 20, timeout: 20_000 }).toBeGreaterThanOrEqual(size);
}

const keep = (name: string): void => cpSync(audit.logs, join(audit.dir, name), { recursive: true });

function bringBack(name: string): void {
  rmSync(audit.logs, { recursive: true });
  cpSync(join(audit.dir, name), audit.logs, { recursive: true });
}

describe('a copy knows more', { timeout: 60_000 }, () => {
  test('an old log with its old signed heads is refused as a rollback, and stays readable', async () => {
    await audit.open(COPIES);
    let served = await audit.serve();
    await append(served, 'test.one', '?wait=checkpoint');
    await copied(1);
    await served.end('SIGTERM');
    keep('old');
    served = await audit.serve();
    await append(served, 'test.two', '?wait=checkpoint');
    await copied(2);
    await served.end('SIGTERM');
    bringBack('old');
    served = await audit.serve();
    const refused = await append(served, 'test.other');
    expect(refused).toMatchObject({ status: 409, json: { code: 'audit.refused', details: { why: 'rollback' } } });
    const shown = await served.call('GET', LOG_PATH, audit.admin());
    expect(shown).toMatchObject({ status: 200, json: { size: 1 } });
    expect((shown.json as { refused: string }).refused).toContain('rollback: the copy in');
    const read = await served.call('GET', `${LOG_PATH}/records`, audit.admin());
    expect(read).toMatchObject({ status: 200, json: { size: 1, records: [{ action: 'test.one' }] } });
    expect((await served.call('GET', `${LOG_PATH}/proof/inclusion?index=0`, audit.admin())).status).toBe(200);
    await served.end('SIGTERM');
    expect(sizeOf(join(audit.logs, LOG, 'checkpoint'))).toBe(1);
    expect(sizeOf(join(audit.dir, 'copy', LOG, 'checkpoint'))).toBe(2);
  });

  test('a log that was begun anew is refused as a rollback', async () => {
    await audit.open(COPIES);
    let served = await audit.serve();
    await append(served, 'test.one', '?wait=checkpoint');
    await copied(1);
    await served.end('SIGTERM');
    rmSync(audit.logs, { recursive: true });
    served = await audit.serve();
    expect(await append(served)).toMatchObject({ status: 409, json: { details: { why: 'rollback' } } });
    await served.end('SIGTERM');
  });

  test('another history that appears while the log is open closes it: nothing more is signed', async () => {
    await audit.open(COPIES);
    mkdirSync(audit.logs);
    keep('empty');
    let served = await audit.serve();
    await append(served, 'test.elsewhere', '?wait=checkpoint');
    await copied(1);
    await served.end('SIGTERM');
    cpSync(join(audit.dir, 'copy'), join(audit.dir, 'other'), { recursive: true });
    rmSync(join(audit.dir, 'copy'), { recursive: true });
    bringBack('empty');
    served = await audit.serve();
    await append(served, 'test.here', '?wait=checkpoint');
    await copied(1);
    cpSync(join(audit.dir, 'other'), join(audit.dir, 'copy'), { recursive: true });
    const why = async (): Promise<unknown> =>
      ((await served.call('GET', LOG_PATH, audit.admin())).json as { refused: unknown }).refused;
    await expect.poll(why, { interval: 20, timeout: 20_000 }).toContain('fork: the copy in');
    expect(await append(served)).toMatchObject({ status: 409, json: { details: { why: 'fork' } } });
    expect(sizeOf(join(audit.logs, LOG, 'checkpoint'))).toBe(1);
    expect(await served.end('SIGTERM')).toBe(0);
  });
});

describe('a process that dies', () => {
  test(
    `kill -9 while segments are sealed, ${KILLS} times: no acknowledged record is lost, and all verify`,
    { timeout: 240_000 },
    async () => {
      await audit.open(SEGMENTS);
      const acknowledged = new Map<number, string>();
      const sealed = join(audit.logs, LOG, 'segments');
      const segments = (): number => (existsSync(sealed) ? readdirSync(sealed).length : 0);
      for (let round = 0; round < KILLS; round++) {
        const served = await audit.serve();
        const token = audit.service();
        let sent = 0;
        const worker = async (no: number): Promise<void> => {
          for (;;) {
            const action = `test.${round}.${no}.${sent++}`;
            const answer = await served.call('POST', `${LOG_PATH}/records`, token, { action });
            expect(answer.status).toBe(200);
            acknowledged.set((answer.json as { index: number }).index, action);
            // Another place in the work of sealing each time, and only once this round has sealed some: how many records share a segment
            // depends on how fast the machine is.
            if (acknowledged.size % 97 === (round * 37) % 97 && segments() > (round + 1) * SEALED_A_ROUND)
              process.kill(served.pid, 'SIGKILL');
          }
        };
        const workers = Array.from({ length: 8 }, (_, no) => worker(no).catch((error: unknown) => error));
        expect(await served.ended).toBe('SIGKILL');
        await Promise.all(workers);
      }
      const served = await audit.serve();
      await append(served, 'test.last', '?wait=checkpoint');
      const found = new Map<number, string>();
      for (let from: number | null = 0; from !== null;) {
        const answer = await served.call('GET', `${LOG_PATH}/records?limit=1000&from=${from}`, audit.admin());
        const page = answer.json as { records: { seq: number; action: string }[]; next: number | null };
        for (const { seq, action } of page.records) found.set(seq, action);
        from = page.next;
      }
      expect(acknowledged.size).toBeGreaterThan(KILLS * 40);
      const lost = [...acknowledged].filter(([index, action]) => found.get(index) !== action);
      expect(lost).toEqual([]);
      expect(await served.end('SIGTERM')).toBe(0);
      const { code, report } = await verified();
      expect(code).toBe(0);
      expect(report).toMatchObject({ size: found.size, unsigned: 0 });
      expect(segments()).toBeGreaterThan(KILLS * SEALED_A_ROUND);
    },
  );

  test(
    'two processes on one log: the second refuses it as held, and the first goes on',
    { timeout: 60_000 },
    async () => {
      await audit.open();
      const first = await audit.serve();
      expect((await append(first)).status).toBe(200);
      await expect(audit.serve()).rejects.toThrow('is in use by another skep');
      const other = join(audit.dir, 'second');
      cpSync(join(audit.dir, 'keys'), join(other, 'keys'), { recursive: true }); // before it starts: it would make its own
      const second = await audit.serve({ SKEP_DATA: other });
      expect(await append(second)).toMatchObject({ status: 409, json: { details: { why: 'held' } } });
      expect((await append(first)).status).toBe(200);
      expect(await second.end('SIGTERM')).toBe(0);
      expect(await first.end('SIGTERM')).toBe(0);
      expect((await verified()).report).toMatchObject({ size: 2 });
    },
  );
});

describe.runIf(canBreakDisk())('a disk', { timeout: 60_000 }, () => {
  test('that is full sheds records with 507, whole, and takes them again when there is room', async () => {
    await audit.open();
    const disk = new FailingDisk(audit.dir);
    const served = await audit.serve(disk.env);
    expect((await append(served)).status).toBe(200);
    disk.fillFor('/segments/');
    expect(await append(served)).toMatchObject({ status: 507, json: { code: 'audit.storage_full' } });
    disk.mend();
    expect(await append(served)).toMatchObject({ status: 200, json: { index: 1 } });
    expect(await served.end('SIGTERM')).toBe(0);
    expect(await verified()).toMatchObject({ code: 0, report: { size: 2 } });
  });

  test('that fails a sync ends the process with 70: nothing after it is acknowledged', async () => {
    await audit.open();
    const disk = new FailingDisk(audit.dir);
    const served = await audit.serve(disk.env);
    expect((await append(served, 'test.one', '?wait=checkpoint')).status).toBe(200);
    disk.breakFor('/segments/');
    const answer = await append(served).catch(() => null);
    expect(answer?.status ?? 500).not.toBe(200);
    expect(await served.ended).toBe(70);
    disk.mend();
    const again = await audit.serve();
    expect((await append(again)).status).toBe(200);
    expect(await again.end('SIGTERM')).toBe(0);
    expect((await verified()).code).toBe(0);
  });

  test('that is full for tiles takes records on: their checkpoint comes when there is room', async () => {
    await audit.open();
    const disk = new FailingDisk(audit.dir);
    const served = await audit.serve(disk.env);
    expect((await append(served, 'test.one', '?wait=checkpoint')).status).toBe(200);
    disk.fillFor('/tile/');
    expect(await append(served)).toMatchObject({ status: 200, json: { index: 1 } });
    const covered = append(served, 'test.three', '?wait=checkpoint');
    expect((await served.call('GET', LOG_PATH, audit.admin())).json).toMatchObject({ size: 1, refused: null });
    disk.mend();
    expect(await covered).toMatchObject({ status: 200, json: { index: 2 } });
    expect(await served.end('SIGTERM')).toBe(0);
    expect(await verified()).toMatchObject({ code: 0, report: { size: 3, unsigned: 0 } });
  });

  test.each(['/tile/', '/checkpoint', '/.state/'])(
    'that fails a sync of %s ends the process with 70, and nothing is signed twice',
    async (part) => {
      await audit.open();
      const disk = new FailingDisk(audit.dir);
      const served = await audit.serve(disk.env);
      expect((await append(served, 'test.one', '?wait=checkpoint')).status).toBe(200);
      disk.breakFor(part);
      await append(served, 'test.two').catch(() => null);
      expect(await served.ended).toBe(70);
      disk.mend();
      const again = await audit.serve();
      expect((await append(again, 'test.three', '?wait=checkpoint')).status).toBe(200);
      expect(await again.end('SIGTERM')).toBe(0);
      expect(await verified()).toMatchObject({ code: 0, report: { unsigned: 0 } });
    },
  );
});
