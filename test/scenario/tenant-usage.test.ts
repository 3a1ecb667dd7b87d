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
      const rows = JSON.parse(await verb(`usage ${tenant} -o json`)) as { requests: number }[];
      return rows.reduce((sum, { requests }) => sum + requests, 0);
    };

    const before = await used(TENANT);
    // Answers of a thread, whatever they say, are usage; answers of the door are not.
    const paths = ['/data/rest/item', '/data/rest/absent', '/store/media/asset', '/bff/list', '/nowhere'];
    await Promise.all(Array.from({ length: 200 }, (_, at) => get(paths[at % paths.length]!)));
    await get('/data/rest/item', OTHER_TENANT);
    expect([(await used(TENANT)) - before, await used(OTHER_TENANT)]).toEqual([160, 1]);

    const limit = before + 170;
    expect(await verb(`quota ${TENANT} requests=${limit} -o json`)).toContain(`"requests_per_day": ${limit}`);
    for (let i = 0; i < 10; i++) expect((await get('/data/rest/item')).status).not.toBe(429);
    const refused = await get('/data/rest/item');
    expect([refused.status, refused.json]).toMatchObject([
      429,
      { code: 'tenant_quota', details: { quota: 'requests', per: 'day', limit } },
    ]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await get('/data/rest/item', OTHER_TENANT)).status).not.toBe(429);
    expect(await used(TENANT), 'what is refused is not used').toBe(limit);

    await node.end('SIGKILL');
    node = await startProcess(file);
    expect((await get('/data/rest/item')).status).toBe(429);
    expect(await used(TENANT)).toBe(limit);
    await verb(`quota ${TENANT} requests=none`);
    expect((await get('/data/rest/item')).status).not.toBe(429);

    const month = new Date().toISOString().slice(0, 7);
    const lines = (await verb(`usage --month ${month} -o csv`)).split('\r\n');
    expect(lines[0]).toBe('day,tenant,requests,mails,webhooks');
    expect(lines.filter((line) => line.includes(`,${OTHER_TENANT},2,0,0`))).toHaveLength(1);
    await node.end('SIGTERM');
    expect(await used(TENANT), 'on the stores of a stopped node').toBe(limit + 1);
  },
);

test('words that are no quota and no month are refused before a node is asked', async () => {
  const said = async (line: string) => {
    const { code, err } = await skep(`tenant ${line} -f absent.yaml`, env);
    return [code, err];
  };
  for (const line of [`quota ${TENANT} rows=5`, `quota ${TENANT} requests=-1`, `usage --month 2026-13`])
    expect(await said(line)).toEqual([expect.any(Number), expect.stringMatching(/write requests=|written as 2026-11/)]);
});
