/** What tenants use is what was sent, and a quota that is used up refuses its tenant alone, through kill -9. Contract: docs/contract/tenants.md §2, §3. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { OTHER_TENANT, TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { startProcess } from '#test/kit/process-node.ts';
import { call, positionHeaders, startTestNode } from '#test/kit/test-node.ts';
import { skep } from '#test/runtime/cli/recorder.ts';

const LIMIT = { timeout: 120_000 };
const env = process.env as Record<string, string>;
const DAY_MS = 86_400_000;
const NEAR_MS = 60_000;

/** Waits for the next day where this one has less than a minute left. */
async function farFromMidnight(): Promise<void> {
  const left = (): number => DAY_MS - (Date.now() % DAY_MS);
  while (left() < NEAR_MS) await new Promise((resolve) => setTimeout(resolve, left()));
}

test(
  'usage equals the requests sent; a quota refuses with Retry-After, no neighbour, and lasts through kill -9',
  LIMIT,
  async () => {
    const dir = mkdtempSync(join(tmpdir(), 'skep-usage-'));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    const whole = await startTestNode({ dir });
    const key = whole.serviceKey;
    await whole.stop();
    const file = writePlatformFile(dir);
    const verb = async (line: string): Promise<string> => {
      const { code, out, err } = await skep(`tenant ${line} -f ${file}`, env);
      expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' });
      return out;
    };
    let node = await startProcess(file);
    onTestFinished(async () => void (await node.end('SIGTERM')));
    const get = (path: string, tenant = TENANT) => {
      const headers = { ...positionHeaders(tenant), Authorization: `ApiKey ${key}` };
      return call(node.listeners['gateway']!, 'GET', path, headers);
    };
    const used = async (tenant: string): Promise<number> => {
      // From a day on that is long over: a midnight, or the end of a month, may come in the middle of the test.
      const rows = JSON.parse(await verb(`usage ${tenant} --from 2020-01-01 -o json`)) as { requests: number }[];
      return rows.reduce((sum, { requests }) => sum + requests, 0);
    };

    const usedToday = async (tenant: string): Promise<number> => {
      const day = new Date().toISOString().slice(0, 10);
      const rows = JSON.parse(await verb(`usage ${tenant} --from ${day} -o json`)) as { requests: number }[];
      return rows[0]?.requests ?? 0;
    };

    const before = await used(TENANT);
    // Answers of a thread, whatever they say, are usage; answers of the door are not.
    const paths = ['/data/rest/item', '/data/rest/absent', '/store/media/asset', '/bff/list', '/nowhere'];
    await Promise.all(Array.from({ length: 200 }, (_, at) => get(paths[at % paths.length]!)));
    await get('/data/rest/item', OTHER_TENANT);
    expect([(await used(TENANT)) - before, await used(OTHER_TENANT)]).toEqual([160, 1]);

    // A quota of requests begins anew at midnight, which the rest of this test shall not meet.
    await farFromMidnight();
    const limit = (await usedToday(TENANT)) + 10;
    const total = await used(TENANT);
    expect(await verb(`quota ${TENANT} requests=${limit} -o json`)).toContain(`"requests_per_day": ${limit}`);
    for (let i = 0; i < 10; i++) expect((await get('/data/rest/item')).status).not.toBe(429);
    const refused = await get('/data/rest/item');
    expect([refused.status, refused.json]).toMatchObject([
      429,
      { code: 'tenant_quota', details: { quota: 'requests', per: 'day', limit } },
    ]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await get('/data/rest/item', OTHER_TENANT)).status).not.toBe(429);
    expect(await used(TENANT), 'what is refused is not used').toBe(total + 10);

    await node.end('SIGKILL');
    node = await startProcess(file);
    expect((await get('/data/rest/item')).status).toBe(429);
    expect(await used(TENANT)).toBe(total + 10);
    await verb(`quota ${TENANT} requests=none`);
    expect((await get('/data/rest/item')).status).not.toBe(429);

    const lines = (await verb(`usage --from 2020-01-01 --by month -o csv`)).split('\r\n');
    expect(lines[0]).toBe('month,tenant,requests,mails,webhooks,processor_ms,outside_calls,rows,bytes');
    expect(lines.filter((line) => line.includes(`,${OTHER_TENANT},2,0,0,`))).toHaveLength(1);
    await node.end('SIGTERM');
    expect(await used(TENANT), 'on the stores of a stopped node').toBe(total + 11);
  },
);

test('words that are no quota and no month are refused before a node is asked', async () => {
  const said = async (line: string) => {
    const { code, err } = await skep(`tenant ${line} -f absent.yaml`, env);
    return [code, err];
  };
  for (const line of [
    `quota ${TENANT} honey=5`,
    `usage --from 2026-13-01`,
    `usage --month 2026-11 --from 2026-11-01`,
    `quota ${TENANT} requests=-1`,
    `usage --month 2026-13`,
  ])
    expect(await said(line)).toEqual([
      expect.any(Number),
      expect.stringMatching(/write requests=|written as 2026-11|cannot be used with/),
    ]);
});
