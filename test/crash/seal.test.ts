/**
 * kill -9 before every step of sealing, one after the other: each call that changes the log's directory while records are appended,
 * segments are sealed, and tiles and checkpoint follow. Contract: docs/contract/audit.md §5, §6 (order, durability).
 */
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AuditProcess, type ServedAudit } from '#test/kit/audit-process.ts';
import { canBreakDisk } from '#test/kit/failing-disk.ts';
import { isCampaign, isLongRun } from '#test/kit/rounds.ts';
import { skep } from '#test/runtime/cli/recorder.ts';
import { tally } from '#test/kit/tally.ts';

const LOG = 'tenant/acme/shop/dev/main';
const LOG_PATH = `/logs/${encodeURIComponent(LOG)}`;
const BEFORE = 3;
const DURING = 2;
/** Killed before each step in `npm run campaign`, before some otherwise. */
const STRIDE = isCampaign ? 1 : isLongRun ? 4 : 8;
/** Two records a segment: the records of a round end one and begin another. */
const SEGMENTS = `routing: [{ log_id_pattern: '**', durability: strict, segment_max_records: 2 }]\n`;
const LIMIT = { timeout: 600_000 };

describe.runIf(canBreakDisk())('sealing', LIMIT, () => {
  let audit: AuditProcess;
  let env: Record<string, string>;
  let control: string;

  const append = async (served: ServedAudit, action: string, query: string): Promise<number> => {
    const answer = await served.call('POST', `${LOG_PATH}/records${query}`, audit.service(), { action });
    expect(answer.status, answer.text).toBe(200);
    return (answer.json as { index: number }).index;
  };

  /** Appends a round's records until the process is gone; gives what was acknowledged. */
  async function appendAll(served: ServedAudit): Promise<Map<number, string>> {
    const acknowledged = new Map<number, string>();
    for (let no = 0; no < DURING; no++) {
      const action = `test.during.${no}`;
      const index = await append(served, action, no === DURING - 1 ? '?wait=checkpoint' : '').catch(() => null);
      if (index === null) break;
      acknowledged.set(index, action);
    }
    return acknowledged;
  }

  async function records(served: ServedAudit): Promise<Map<number, string>> {
    const answer = await served.call('GET', `${LOG_PATH}/records?limit=1000`, audit.admin());
    const { records: page } = answer.json as { records: { seq: number; action: string }[] };
    return new Map(page.map(({ seq, action }) => [seq, action]));
  }

  const asItWas = (): void => {
    rmSync(audit.logs, { recursive: true });
    cpSync(join(audit.dir, 'before'), audit.logs, { recursive: true });
    rmSync(`${control}.steps`, { force: true });
  };

  const stepsTaken = (): string[] =>
    readFileSync(`${control}.steps`, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => line.replace(`${audit.logs}/`, '').replace(`${LOG}/`, ''));

  /** Serves what was before, kills it at a step, and gives what was acknowledged and which step it was. */
  async function killedAt(step: number): Promise<{ acknowledged: Map<number, string>; last: string; died: boolean }> {
    asItWas();
    const served = await audit.serve(env);
    writeFileSync(control, `${step} ${LOG} /logs/.state/`);
    const acknowledged = await appendAll(served);
    const how = acknowledged.size === DURING ? await served.end('SIGTERM') : await served.ended;
    rmSync(control);
    return { acknowledged, last: stepsTaken().at(-1)!, died: how === 'SIGKILL' };
  }

  /** Serves what the kill left, and proves it. */
  async function proven(acknowledged: Map<number, string>, at: string): Promise<void> {
    const served = await audit.serve();
    await append(served, 'test.after', '?wait=checkpoint');
    const found = await records(served);
    expect(await served.end('SIGTERM')).toBe(0);
    for (const [index, action] of acknowledged) expect(found.get(index), at).toBe(action);
    const key = join(audit.dir, 'keys', 'audit', LOG, 'signing-key.pub.pem');
    const { code, out } = await skep(`audit verify ${join(audit.logs, LOG)} --key ${key} --json`);
    expect({ at, code, ...(JSON.parse(out) as object) }).toMatchObject({ at, code: 0, size: found.size, unsigned: 0 });
  }

  beforeAll(async () => {
    audit = new AuditProcess();
    await audit.open(SEGMENTS);
    const library = join(audit.dir, 'killing-disk.so');
    const source = fileURLToPath(new URL('../kit/killing-disk.c', import.meta.url));
    execFileSync('gcc', ['-shared', '-fPIC', '-O1', '-o', library, source, '-ldl'], { stdio: 'inherit' });
    control = join(audit.dir, 'kill-at');
    env = { LD_PRELOAD: library, SKEP_DISK_KILL: control };
    const served = await audit.serve();
    for (let no = 0; no < BEFORE; no++) await append(served, `test.before.${no}`, '?wait=checkpoint');
    await served.end('SIGTERM');
    cpSync(audit.logs, join(audit.dir, 'before'), { recursive: true });
  });
  afterAll(() => audit.close());

  test(
    'killed before its steps, one after the other: what was acknowledged is there, and the log verifies',
    LIMIT,
    async () => {
      const seen: string[] = [];
      for (let step = 1; ; step += STRIDE) {
        const { acknowledged, last, died } = await killedAt(step);
        if (!died) break;
        seen.push(last);
        tally({ kills: 1, acknowledged: acknowledged.size });
        await proven(acknowledged, `step ${step}, before: ${last}`);
      }
      expect(seen.length).toBeGreaterThan(4);
      // The last round was killed nowhere: it took every step.
      const kinds = new Set((STRIDE === 1 ? seen : stepsTaken()).map((line) => line.replaceAll(/\d+/g, 'N')));
      if (process.env['SKEP_TEST_TELL'] !== undefined) console.log(seen.join('\n'));
      for (const part of ['write segments/', 'sync segments/', 'rename tile/', 'rename checkpoint', '.state/'])
        expect(
          [...kinds].some((kind) => kind.includes(part)),
          `${part} in ${[...kinds].join(', ')}`,
        ).toBe(true);
    },
  );
});
