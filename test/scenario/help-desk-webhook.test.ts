/** The webhook of the template help-desk: it waits for its secret, leaves once, signed, and tells no more than the trigger says. */
import { createHmac } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { freePortBase } from '#test/kit/free-port.ts';
import { ask, eves, useHelpDesk } from '#test/kit/help-desk.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { positionHeaders } from '#test/kit/test-node.ts';
import { callVault } from '#test/kit/vault-process.ts';
import { startReceiver, type Receiver } from '#test/kit/webhook-receiver.ts';

const SECRET = 'a secret of the two';
const SOON = { timeout: 30_000 };
let receiver: Receiver;
let vaultPort: number;

useHelpDesk(async () => {
  receiver = await startReceiver();
  vaultPort = (await freePortBase()) + 7;
  return {
    // As a user would do whose receiver listens elsewhere.
    text: (_path, text) => text.replaceAll('127.0.0.1:8099', `127.0.0.1:${receiver.port}`),
    extra: `vault: { enabled: true, profile: development, port: ${vaultPort}, pki: { listen: false } }
outbound: { allow_private: ["127.0.0.1:${receiver.port}"] }`,
  };
});
afterAll(() => receiver.stop());

const events = async (): Promise<readonly { id: string }[]> =>
  ((await ask('ann', 'GET', 'admin/data/triggers/events?outcome=waiting')).json as { events: { id: string }[] }).events;

test('a solved ticket is told once the vault has the secret, and not before', async () => {
  for (const status of ['in_progress', 'solved'])
    expect((await ask('gus', 'PATCH', `rest/ticket/id/${eves.ticket}`, { status })).status).toBe(200);
  await expect.poll(events, SOON).toMatchObject([{ trigger: 'solved', outcome: 'waiting' }]);
  expect(receiver.received).toEqual([]);
  const secret = `http://127.0.0.1:${vaultPort}/secret/${encodeURIComponent('desk/solved')}`;
  expect((await callVault(secret, null, 'PUT', { value: SECRET }, positionHeaders(TENANT))).status).toBe(201);
  // It would be looked at within half a minute, too.
  const [{ id }] = (await events()) as [{ id: string }];
  expect((await ask('ann', 'POST', `admin/data/triggers/events/${id}/retry`)).status).toBe(200);
  await expect.poll(() => receiver.received.length, SOON).toBe(1);
  const [{ body, headers, path }] = receiver.received as [Receiver['received'][number]];
  expect(path).toBe('/solved');
  expect(headers['x-service-signature']).toBe(`sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`);
  const row = { subject: 'No sound', priority: 'normal' };
  expect(JSON.parse(body)).toMatchObject({ event: 'row.updated', trigger: 'solved', data: { id: eves.ticket, row } });
  expect(Object.keys((JSON.parse(body) as { data: { row: object } }).data.row).sort()).toEqual(['priority', 'subject']);
  await expect.poll(events, SOON).toEqual([]);
});
