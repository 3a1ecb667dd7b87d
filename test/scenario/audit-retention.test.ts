/** Records that are kept for a time only. Contract: docs/contract/audit.md §8 (proofs, verification); pruning is ours (docs/decisions/audit.md AU-15). */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AuditProcess, type ServedAudit } from '#test/kit/audit-process.ts';
import { skep } from '#test/runtime/cli/recorder.ts';

const LOG = 'tenant/acme/shop/dev/main';
const OFTEN = 'tenant/acme/shop/dev/often';
const pathOf = (log: string): string => `/logs/${encodeURIComponent(log)}`;
const LOG_PATH = pathOf(LOG);
const audit = new AuditProcess();
const directory = join(audit.logs, LOG);
let served: ServedAudit;

interface Page {
  readonly records: { readonly seq: number; readonly action: string; readonly source: string; readonly data: object }[];
  readonly size: number;
}

const append = (count: number, query = '', log = LOG) =>
  served.call(
    'POST',
    `${pathOf(log)}/records${query}`,
    audit.service(),
    Array.from({ length: count }, () => ({ action: 'test.row' })),
  );

async function page(log = LOG): Promise<Page> {
  const reader = audit.admin({ tenant: log.slice('tenant/'.length).replaceAll('/', ':') });
  return (await served.call('GET', `${pathOf(log)}/records?limit=1000`, reader)).json;
}

async function verified(log: string) {
  const key = join(audit.dir, 'keys', 'audit', log, 'signing-key.pub.pem');
  const { code, out } = await skep(`audit verify ${join(audit.logs, log)} --key ${key} --json`);
  return { code, report: JSON.parse(out) as object };
}

beforeAll(async () => {
  await audit.open(`routing:
  - { log_id_pattern: 'tenant/**/often', durability: strict, segment_max_records: 3, seal_interval: 100ms, retention: 1s }
  - { log_id_pattern: 'tenant/**', durability: strict, segment_max_records: 300, seal_interval: 1h, retention: 1s }
`);
  served = await audit.serve();
}, 60_000);

afterAll(async () => {
  await served.end('SIGTERM');
  audit.close();
});

test(
  'old sealed segments go, a signed record says which, and everything that is left verifies',
  { timeout: 60_000 },
  async () => {
    expect((await append(300)).status).toBe(200);
    expect((await append(300, '?wait=checkpoint')).status).toBe(200);
    const firstSeq = async (): Promise<number> => (await page()).records[0]?.seq ?? -1;
    await expect.poll(firstSeq, { interval: 50, timeout: 30_000 }).toBe(600);
    const told = (await page()).records.filter(({ action }) => action === 'audit.pruned');
    expect(told).toMatchObject([
      { source: 'audit', data: { first: 0, last: 299, size: 300 } },
      { source: 'audit', data: { first: 300, last: 599, size: 600 } },
    ]);
    await expect
      .poll(() => readdirSync(join(directory, 'segments')).filter((name) => name.endsWith('.log')).length)
      .toBe(1);
    expect(existsSync(join(directory, 'tile/entries/000'))).toBe(false);
    const proof = (index: number) => served.call('GET', `${LOG_PATH}/proof/inclusion?index=${index}`, audit.admin());
    expect(await proof(299)).toMatchObject({ status: 404, json: { code: 'audit.not_found' } });
    expect((await proof(600)).status).toBe(200);
    const consistency = await served.call('GET', `${LOG_PATH}/proof/consistency?from=10`, audit.admin());
    expect(consistency.status).toBe(200);
    expect(await verified(LOG)).toMatchObject({ code: 0, report: { verdict: 'good', pruned: 600, missing: [] } });
    const queried = await skep(`audit query ${directory} --action audit.pruned --output json`);
    expect(queried.out.match(/audit\.pruned/g)).toHaveLength(2);
  },
);

test(
  'after several periods a log that is idle holds records of prunings only, and verifies',
  { timeout: 60_000 },
  async () => {
    const areRows = async (): Promise<boolean> =>
      (await page(OFTEN)).records.some(({ action }) => action === 'test.row');
    for (let period = 0; period < 3; period++) {
      expect((await append(7, '?wait=checkpoint', OFTEN)).status).toBe(200);
      await expect.poll(areRows, { interval: 50, timeout: 15_000 }).toBe(false);
      await expect
        .poll(() => verified(OFTEN), { timeout: 15_000 })
        .toMatchObject({ code: 0, report: { verdict: 'good', missing: [] } });
    }
    const { records } = await page(OFTEN);
    expect(records[0]!.seq).toBeGreaterThan(14);
    expect(records.at(-1)).toMatchObject({ action: 'audit.pruned', data: { all: [{ first: 0 }] } });
  },
);
