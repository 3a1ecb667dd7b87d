/** The clock of the machine was set back: expired keys and tokens do not come to life again, and the operator is told. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startNode, type Node } from '#runtime/node.ts';
import { limits } from '#config/limits.ts';
import { openSlotFile, readSlots } from '#storage/slot-file.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { call, exchange, positionHeaders, startTestNode, type TestNode } from '#test/kit/test-node.ts';

const dir = mkdtempSync(join(tmpdir(), 'skep-clock-'));
const file = join(dir, 'data', 'clock');
const HOUR = 60 * 60_000;
let before: TestNode;
let node: Node | undefined;
let token: string;
let key: string;

beforeAll(async () => {
  before = await startTestNode({ dir });
  token = await exchange(before.gateway, before.serviceKey);
  const issued = await before.node.ask(TENANT, 'identity', 'key.issue', {
    service: 'short',
    capabilities: { scope: ['acme:dev:shop:main'] },
    expires_in_days: 1,
  });
  key = (issued as { key: string }).key;
  await before.stop();
}, 120_000);
afterAll(async () => {
  await node?.stop();
  rmSync(dir, { recursive: true, force: true });
});

/** The node has been at work so much later than this machine's clock says now. */
async function startAfter(laterMs: number): Promise<void> {
  await node?.stop();
  rmSync(file);
  const slots = openSlotFile(file);
  slots.write(Date.now() + laterMs);
  slots.close();
  node = await startNode(before.platform);
}

/** What an exchange of a key is answered with. */
const shown = async (apiKey: string): Promise<number> => {
  const headers = { ...positionHeaders(TENANT), Authorization: `ApiKey ${apiKey}` };
  return (await call(node!.listeners['gateway']!, 'POST', '/auth/token', headers)).status;
};
const read = async (authorization: string): Promise<number> =>
  (
    await call(node!.listeners['gateway']!, 'GET', '/data/rest/item', {
      ...positionHeaders(TENANT),
      Authorization: authorization,
    })
  ).status;
const degraded = async (): Promise<{ scope: string; reason: string }[]> => {
  const { json } = await call(node!.listeners['operations']!, 'GET', '/readyz', { Accept: 'application/json' });
  return (json as { degraded: { scope: string; reason: string }[] }).degraded;
};

test('a node notes when it has been at work', () => {
  expect(Math.abs(readSlots(file) - Date.now())).toBeLessThan(HOUR);
});

test('a token that expired by the time that the node has seen stays expired, and new ones are good', async () => {
  await startAfter(2 * HOUR);
  expect(await read(`Bearer ${token}`)).toBe(401);
  expect(await read(`Bearer ${await exchange(node!.listeners['gateway']!, before.serviceKey)}`)).toBe(200);
  // A spare thread of the node may still be on its way.
  await expect
    .poll(degraded)
    .toEqual([
      expect.objectContaining({ scope: 'clock', reason: expect.stringContaining('2 hours behind') as string }),
    ]);
  expect((await call(node!.listeners['operations']!, 'GET', '/readyz')).status).toBe(200);
}, 60_000);

test('so does a key', async () => {
  await startAfter(limits.clock.behindMsMax - HOUR);
  expect(await shown(key)).toBe(200);
  await startAfter(limits.clock.behindMsMax - 1000);
  await expect.poll(() => shown(key), { timeout: 30_000 }).toBe(401);
}, 90_000);

test('a time that is too far ahead locks no caller out, and the operator learns how to mend it', async () => {
  await startAfter(400 * 24 * HOUR);
  expect(await read(`Bearer ${token}`)).toBe(200);
  expect((await degraded()).find(({ scope }) => scope === 'clock')!.reason).toContain(`remove ${file}`);
}, 60_000);
