/**
 * Mails of a tenant under a quota wait in its outbox, with no word to the caller and none to a neighbour; each attempt to send one is traced
 * with a link to the request that asked for it. Contract: docs/contract/tenants.md §3, docs/contract/platform.md §4.1.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { UsageRow } from '#actors/protocol/usage.ts';
import { runVerb } from '#runtime/control-verbs.ts';
import { MailServer } from '#test/kit/mail-server.ts';
import { startOtlpReceiver, type OtlpReceiver } from '#test/kit/otlp-receiver.ts';
import { OTHER_TENANT, TENANT } from '#test/kit/platform-file.ts';
import { startTestNode, type TestNode } from '#test/kit/test-node.ts';
import { PASSWORD } from '#test/kit/users.ts';

const mail = new MailServer();
let node: TestNode;
let collector: OtlpReceiver;

beforeAll(async () => {
  collector = await startOtlpReceiver();
  await mail.listen();
  node = await startTestNode({
    extra: `
telemetry: { traces: { to: "${collector.url}", sample: 0, trust_parent: [127.0.0.1] } }
identity:
  mail:
    smtp: { host: 127.0.0.1, port: ${mail.port}, starttls: false, auth: none }
    from: Shop <no-reply@shop.example>
    links: { reset: "https://shop.example/reset?token={token}", magic_link: "https://shop.example/in#{token}" }
`,
  });
  for (const tenant of [TENANT, OTHER_TENANT])
    for (const name of ['ada', 'ben', 'cia'])
      await node.node.ask(tenant, 'identity', 'user.ensure', {
        login: `${name}@x.example`,
        password: PASSWORD,
        roles: [],
      });
});
afterAll(async () => {
  await node.stop();
  await Promise.all([mail.close(), collector.stop()]);
});

async function reset(login: string, tenant = TENANT, headers: Readonly<Record<string, string>> = {}) {
  const { status, json } = await node.call(
    'POST',
    '/auth/password/reset',
    { ...node.position(tenant), ...headers },
    { login: `${login}@x.example` },
  );
  return [status, json];
}
const quota = (mails: number | null) => runVerb(node.node, 'tenant.quota', { key: TENANT, set: { mails } });
const subjects = (): number => mail.received.length;
const mailsOf = async (tenant: string): Promise<number> => {
  const rows = (await runVerb(node.node, 'tenant.usage', { tenant, from: '2020-01-01', to: '9999' })) as UsageRow[];
  return rows.reduce((sum, { mails }) => sum + mails, 0);
};

test('one mail leaves, the next waits while a neighbour’s leaves; callers are told the same, and a larger quota lets it go', async () => {
  await quota(1);
  const told = await reset('ada');
  await mail.until(() => subjects() === 1);
  await expect.poll(() => mailsOf(TENANT)).toBe(1);
  expect(await reset('ben')).toEqual(told);
  expect(await reset('unknown')).toEqual(told);
  expect(await reset('ada', OTHER_TENANT)).toEqual(told);
  await mail.until(() => subjects() === 2);
  await expect.poll(() => mailsOf(OTHER_TENANT)).toBe(1);
  expect(mail.received.map(({ to }) => to)).toEqual([['ada@x.example'], ['ada@x.example']]);
  expect(await mailsOf(TENANT), 'the second waits').toBe(1);
  await quota(null);
  await mail.until(() => subjects() === 3);
  expect(mail.received[2]!.to).toEqual(['ben@x.example']);
});

test('the attempt of a traced request is linked to it and names no person; its usage is the same', async () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  await reset('cia', TENANT, { traceparent: `00-${traceId}-00f067aa0ba902b7-01` });
  const spans = await collector.until(() => collector.spans.some(({ name }) => name === 'mail'));
  const [attempt, ...more] = spans.filter(({ name }) => name === 'mail');
  expect(more, 'mails that no traced request asked for have none').toEqual([]);
  expect(attempt).toMatchObject({
    kind: 'SPAN_KIND_CLIENT',
    parentSpanId: '',
    links: [{ traceId }],
    attributes: { 'skep.customer': 'acme', 'skep.tenant': 'main' },
  });
  expect(attempt!.traceId).not.toBe(traceId);
  const sent = Buffer.concat(collector.exports.map(({ bytes }) => bytes)).toString('latin1');
  expect(sent).not.toContain('cia@');
});
