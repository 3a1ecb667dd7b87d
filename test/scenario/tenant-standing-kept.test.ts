/**
 * What operators have made of a tenant outlives the process and the host, and nothing of a suspended tenant leaves: its mails and webhooks
 * wait in it, its neighbour's leave. Contract: docs/contract/tenants.md §1.2.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { MailServer } from '#test/kit/mail-server.ts';
import { magazineWith, startMagazine } from '#test/kit/magazine.ts';
import { OTHER_TENANT, TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { startProcess, type ProcessNode } from '#test/kit/process-node.ts';
import { call, positionHeaders, startTestNode } from '#test/kit/test-node.ts';
import { PASSWORD } from '#test/kit/users.ts';
import { startReceiver } from '#test/kit/webhook-receiver.ts';
import { skep } from '#test/runtime/cli/recorder.ts';

const LIMIT = { timeout: 120_000 };
const env = process.env as Record<string, string>;
const userOf = (tenant: string): string => `ada@${tenant.split(':').at(-1)!}.example`;

async function portOfServerThatIsDown(): Promise<number> {
  const mail = new MailServer();
  await mail.listen();
  await mail.close();
  return mail.port;
}

function directory(): string {
  const dir = mkdtempSync(join(tmpdir(), 'skep-standing-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

test(
  'by the command line: durable before it is answered, through kill -9 and on the stores of a stopped node',
  LIMIT,
  async () => {
    const dir = directory();
    const whole = await startTestNode({ dir });
    const key = whole.serviceKey;
    await whole.stop();
    const file = writePlatformFile(dir);
    const verb = async (line: string): Promise<string> => {
      const { code, out, err } = await skep(`tenant ${line} -f ${file} -o json`, env);
      expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' });
      return out;
    };
    let node: ProcessNode = await startProcess(file);
    onTestFinished(async () => void (await node.end('SIGTERM')));
    const asked = async (tenant: string) => {
      const headers = { ...positionHeaders(tenant), Authorization: `ApiKey ${key}` };
      const { status, json } = await call(node.listeners['gateway']!, 'POST', '/auth/token', headers);
      return [status, (json as { code?: string }).code];
    };

    expect(JSON.parse(await verb(`suspend ${TENANT} --reason billing`))).toMatchObject({
      tenant: TENANT,
      standing: 'suspended',
      reason: 'billing',
    });
    expect(await asked(TENANT)).toEqual([403, 'tenant_suspended']);
    expect((await asked(OTHER_TENANT))[0]).toBe(401);
    await node.end('SIGKILL');
    node = await startProcess(file);
    expect(await asked(TENANT)).toEqual([403, 'tenant_suspended']);
    await node.end('SIGTERM');

    const listed = JSON.parse(await verb('list')) as { tenant: string; standing: string; reason: string | null }[];
    const shown = listed.map(({ tenant, standing, reason }) => [tenant, standing, reason]);
    expect(shown).toContainEqual([TENANT, 'suspended', 'billing']);
    expect(shown).toContainEqual([OTHER_TENANT, 'serving', null]);
    // A backup, and a restore under another name, are acts of operators.
    await verb(`backup ${TENANT} --to ${dir}/main.skep`);
    expect(JSON.parse(await verb(`resume ${TENANT}`))).toMatchObject({ standing: 'serving', reason: null });
    node = await startProcess(file);
    expect((await asked(TENANT))[0]).toBe(200);

    const refused = await skep(`tenant suspend acme:shop:dev:absent -f ${file}`, env);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('no tenant acme:shop:dev:absent')]);
  },
);

test('through the replacement of a host, at work of that moment too', LIMIT, async () => {
  const it = await startTestNode();
  onTestFinished(() => it.stop());
  const bearer = await it.service();
  const create = async (name: string) => (await it.call('POST', '/data/rest/item', bearer, { name })).status;
  expect(await create('one')).toBe(201);
  await it.node.stand({ key: TENANT, standing: 'read-only', reason: null });
  await it.node.drill.killHost(0);
  await expect
    .poll(async () => (await it.call('GET', '/data/rest/item', bearer)).status, { timeout: 30_000 })
    .toBe(200);
  // GraphQL passes the door, since it may only read: the new host refuses it at the commit.
  const mutation = { query: 'mutation { create_item(data: { name: "two" }) { name } }' };
  const { status, json } = await it.call('POST', '/data/graphql', bearer, mutation);
  expect([status, json]).toMatchObject([403, { code: 'tenant_read_only' }]);
  await it.node.stand({ key: TENANT, standing: null, reason: null });
  expect(await create('two')).toBe(201);
});

test(
  'mails and webhooks of a suspended tenant wait, and leave when it is resumed; those of its neighbour leave',
  LIMIT,
  async () => {
    const dir = directory();
    const receiver = await startReceiver();
    onTestFinished(() => receiver.stop());
    const port = await portOfServerThatIsDown();
    const hook = `{ name: site, url: "http://127.0.0.1:${receiver.port}/", secret: "\${SKEP_TEST_WEBHOOK}" }`;
    const it = await startMagazine({
      localdir: magazineWith(dir, `webhooks:\n  - ${hook}\n`),
      extra: `outbound: { allow_private: ["127.0.0.1:${receiver.port}"] }
identity:
  mail:
    smtp: { host: 127.0.0.1, port: ${port}, starttls: false, auth: none }
    from: Shop <no-reply@shop.example>
    links: { reset: "https://shop.example/reset?token={token}", magic_link: "https://shop.example/in#{token}" }
`,
    });
    onTestFinished(() => it.stop());
    for (const tenant of [TENANT, OTHER_TENANT])
      await it.node.ask(tenant, 'identity', 'user.ensure', { login: userOf(tenant), password: PASSWORD, roles: [] });
    const reset = async (tenant: string) =>
      expect(
        (await it.call('POST', '/auth/password/reset', it.position(tenant), { login: userOf(tenant) })).status,
      ).toBe(202);
    const publish = async (title: string) =>
      expect((await it.call('POST', '/content/blog/blog.post', await it.service(), { title })).status).toBe(201);
    const hooked = (): unknown[] => [...new Set(receiver.received.map(({ headers }) => headers['webhook-id']))];

    // The receiver fails and the mail server is down: courier and outbox hold both when the tenant is suspended.
    receiver.answer = (_received, response) => void response.writeHead(503).end();
    await publish('held');
    await reset(TENANT);
    await expect.poll(() => hooked().length, { timeout: 20_000 }).toBe(1);
    await it.node.stand({ key: TENANT, standing: 'suspended', reason: null });
    const before = receiver.received.length;
    receiver.answer = (_received, response) => void response.end();
    await reset(OTHER_TENANT);
    const mail = new MailServer();
    await mail.listen(port);
    onTestFinished(() => mail.close());
    const mailed = (): string[] => mail.received.flatMap(({ to }) => to);
    // The neighbour's mail was asked for last: an older one of the suspended tenant would have come before it.
    await mail.until(() => mailed().includes(userOf(OTHER_TENANT)));
    await reset(OTHER_TENANT);
    await mail.until(() => mailed().length === 2);
    expect([new Set(mailed()), receiver.received.length]).toEqual([new Set([userOf(OTHER_TENANT)]), before]);

    await it.node.stand({ key: TENANT, standing: null, reason: null });
    await mail.until(() => mailed().includes(userOf(TENANT)));
    await expect.poll(() => receiver.received.length, { timeout: 60_000 }).toBe(before + 1);
    expect(hooked()).toHaveLength(1);
  },
);
