/** Identity where the disk has no room for a record. Contract: docs/contract/identity.md §5.2, §5.3 (a failed delete answers ok). */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startNode } from '#runtime/node.ts';
import { call, positionHeaders, startTestNode } from '#test/kit/test-node.ts';

const UNKNOWN_KEY = '01JSKEP0000000000000000000';

test.each([{ audit: 'false' }, { audit: 'true' }])(
  'an exchange and a revoke are answered on a full disk with audit.enabled $audit: the event is lost, not the call',
  async ({ audit }) => {
    const dir = mkdtempSync(join(tmpdir(), 'skep-full-'));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    const before = await startTestNode({ dir, extra: `audit: { enabled: ${audit} }` });
    const { serviceKey, apiKey, platform } = before;
    await before.stop();
    const storage = { ...platform.storage, free_bytes_min: Number.MAX_SAFE_INTEGER };
    const node = await startNode({ ...platform, storage });
    onTestFinished(() => node.stop());
    const ask = (method: string, path: string, key: string) =>
      call(node.listeners['gateway']!, method, path, {
        ...positionHeaders('acme:shop:dev:main'),
        Authorization: `ApiKey ${key}`,
      });
    expect((await ask('POST', '/auth/token', serviceKey)).status).toBe(200);
    const unknown = await ask('DELETE', `/auth/apikey/${UNKNOWN_KEY}`, apiKey);
    expect([unknown.status, unknown.json]).toEqual([200, { ok: true }]);
    expect((await ask('POST', '/auth/apikey', apiKey)).status).toBe(500);
    const revoked = await ask('DELETE', `/auth/apikey/${apiKey.split('.')[0]!}`, apiKey);
    expect([revoked.status, revoked.json]).toEqual([200, { ok: true }]);
    expect((await ask('POST', '/auth/apikey', apiKey)).status).toBe(401); // a revoke takes away, and there is room for that
  },
);
