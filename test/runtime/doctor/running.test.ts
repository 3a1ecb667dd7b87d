import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { Platform } from '#config/platform.ts';
import { examineRunning } from '#runtime/doctor/running.ts';

async function answering(status: number, body: string): Promise<Platform> {
  const server = createServer((request, response) => {
    const asked = request.url === '/readyz' && request.headers.accept === 'application/json';
    response.writeHead(asked ? status : 404, { 'Content-Type': 'application/json' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return at(`127.0.0.1:${(server.address() as AddressInfo).port}`);
}

const at = (operations: string | null) => ({ listeners: { operations } }) as Platform;

test('what is degraded is a fault each, with the reason of the node', async () => {
  const degraded = [{ scope: 'log', name: 'tenant/a/b/c/d', reason: 'its disk is full' }];
  const platform = await answering(200, JSON.stringify({ ready: true, degraded }));
  expect(await examineRunning(platform, true)).toMatchObject([
    { check: 'node', state: 'ok', detail: 'serves' },
    { check: 'log tenant/a/b/c/d', state: 'fault', detail: 'its disk is full' },
  ]);
});

test('a node that takes no requests is a fault, one that does not answer another', async () => {
  const platform = await answering(503, '{"ready":false,"degraded":[]}');
  expect(await examineRunning(platform, true)).toMatchObject([{ check: 'node', state: 'fault' }]);
  const [silent] = await examineRunning(at('127.0.0.1:1'), true);
  expect(silent).toMatchObject({ state: 'fault', detail: expect.stringContaining('127.0.0.1:1 does not answer') });
});

test('without a node, and without a listener to ask', async () => {
  expect(await examineRunning(at('127.0.0.1:1'), false)).toMatchObject([{ state: 'ok' }]);
  expect(await examineRunning(at(null), true)).toMatchObject([{ state: 'warning' }]);
});
