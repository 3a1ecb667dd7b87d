/**
 * What the courier holds of a tenant when the tenant is deleted never leaves the node, and what it holds of its neighbour still does:
 * a real process, a receiver of webhooks that takes calls and stays silent, a mail server that is down. docs/decisions/backup.md BK-9.
 */
import type { ServerResponse } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { MailServer } from '#test/kit/mail-server.ts';
import { magazineWith, startMagazine } from '#test/kit/magazine.ts';
import { OTHER_TENANT, TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { startProcess } from '#test/kit/process-node.ts';
import { call, positionHeaders, type Headers, type TestNode } from '#test/kit/test-node.ts';
import { startReceiver, type Received, type Receiver } from '#test/kit/webhook-receiver.ts';
import { PASSWORD } from '#test/kit/users.ts';
import { skep } from '#test/runtime/cli/recorder.ts';

const POSTS = '/content/blog/blog.post';
const STORIES = 8;
const WORKERS = 4;
const userOf = (tenant: string): string => `ada@${tenant.split(':').at(-1)!}.example`;

interface LogLine {
  readonly msg: string;
  readonly tenant?: string;
}

/** Takes calls and says nothing, until it is told to come up: then it fails what it has, and takes what comes. */
class SilentReceiver {
  readonly #receiver: Receiver;
  readonly held: ServerResponse[] = [];

  constructor(receiver: Receiver) {
    this.#receiver = receiver;
    receiver.answer = (_received, response) => void this.held.push(response);
  }

  get received(): readonly Received[] {
    return this.#receiver.received;
  }

  of(tenant: string, from = 0): readonly Received[] {
    return this.received.slice(from).filter(({ headers }) => headers['x-service-tenant'] === tenant);
  }

  comeUp(): void {
    this.#receiver.answer = (_received, response) => void response.end();
    for (const response of this.held) response.writeHead(503).end();
  }
}

async function portOfServerThatIsDown(): Promise<number> {
  const mail = new MailServer();
  await mail.listen();
  await mail.close();
  return mail.port;
}

async function prepare(node: TestNode): Promise<string> {
  for (const tenant of [TENANT, OTHER_TENANT]) {
    const user = { login: userOf(tenant), password: PASSWORD, roles: ['tenant_user'] };
    await node.node.ask(tenant, 'identity', 'user.ensure', user);
  }
  const wish = { service: 'test', capabilities: { scope: ['acme:dev:shop:*'] } };
  const issued = (await node.node.ask(OTHER_TENANT, 'identity', 'key.issue', wish)) as { key: string };
  await node.stop();
  return issued.key;
}

test(
  'a deleted tenant’s webhooks and mails do not leave, those of its neighbour do',
  { timeout: 180_000 },
  async () => {
    const dir = mkdtempSync(join(tmpdir(), 'skep-deleted-courier-'));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    const plain = await startReceiver();
    onTestFinished(() => plain.stop());
    const mailPort = await portOfServerThatIsDown();
    const url = `http://127.0.0.1:${plain.port}/hook?key=in-the-url`;
    const wish = {
      localdir: magazineWith(
        dir,
        `webhooks:\n  - { name: site, url: "${url}", secret: "\${SKEP_TEST_WEBHOOK}", timeout: 60s }\n`,
      ),
      extra: `outbound: { allow_private: ["127.0.0.1:${plain.port}"] }
identity:
  mail:
    smtp: { host: 127.0.0.1, port: ${mailPort}, starttls: false, auth: none }
    from: Shop <no-reply@shop.example>
    links: { reset: "https://shop.example/reset?token={token}", magic_link: "https://shop.example/in#{token}" }
`,
    };
    const key = await prepare(await startMagazine({ ...wish, dir }));
    const file = writePlatformFile(dir, wish);
    const receiver = new SilentReceiver(plain);
    const node = await startProcess(file);
    onTestFinished(async () => void (await node.end('SIGTERM')));
    const gateway = node.listeners['gateway']!;
    const lines = (msg: string): LogLine[] =>
      node
        .logged()
        .split('\n')
        .filter((line) => line.includes(`"msg":"${msg}`))
        .map((line) => JSON.parse(line) as LogLine);
    const token = async (): Promise<string> => {
      const headers = { ...positionHeaders(OTHER_TENANT), Authorization: `ApiKey ${key}` };
      return ((await call(gateway, 'POST', '/auth/token', headers)).json as { token: string }).token;
    };
    const bearer = async (tenant: string): Promise<Headers> => ({
      ...positionHeaders(tenant),
      Authorization: `Bearer ${await token()}`,
    });
    const publish = async (tenant: string): Promise<void> => {
      const answer = await call(gateway, 'POST', POSTS, await bearer(tenant), { title: `a story of ${tenant}` });
      expect(answer.status, answer.text).toBe(201);
    };
    const reset = async (tenant: string): Promise<void> => {
      const body = { login: userOf(tenant) };
      expect((await call(gateway, 'POST', '/auth/password/reset', positionHeaders(tenant), body)).status).toBe(202);
    };

    for (let i = 0; i < STORIES; i++) await publish(TENANT);
    await expect.poll(() => receiver.of(TENANT).length, { timeout: 20_000 }).toBe(WORKERS);
    await publish(OTHER_TENANT);
    await reset(TENANT);
    await expect.poll(() => lines('mail not taken').length, { timeout: 20_000 }).toBeGreaterThan(0);
    await reset(OTHER_TENANT);

    const env = process.env as Record<string, string>;
    const deleted = await skep(`tenant delete ${TENANT} -f ${file} --confirm ${TENANT}`, env);
    expect(deleted.code, deleted.err).toBe(0);
    const before = receiver.received.length;

    // The calls that were under way are ended, so the neighbour's has its turn.
    const ended = (): number => receiver.held.slice(0, WORKERS).filter(({ destroyed }) => destroyed).length;
    await expect.poll(ended, { timeout: 20_000 }).toBe(WORKERS);
    // Another tenant under the same key has nothing of the first.
    const provisioned = await skep(`tenant provision --tenant ${TENANT} -f ${file}`, env);
    expect(provisioned.code, provisioned.err).toBe(0);
    await publish(TENANT);

    receiver.comeUp();
    const mail = new MailServer();
    await mail.listen(mailPort);
    onTestFinished(() => mail.close());
    // What was asked for last is tried last: what the courier still held of the deleted tenant would have come before it.
    const delivered = (tenant: string): Set<unknown> =>
      new Set(receiver.of(tenant, before).map(({ headers }) => headers['webhook-id']));
    await expect.poll(() => delivered(OTHER_TENANT).size, { timeout: 60_000 }).toBe(1);
    await publish(OTHER_TENANT);
    await expect.poll(() => delivered(OTHER_TENANT).size, { timeout: 60_000 }).toBe(2);
    await expect.poll(() => delivered(TENANT).size, { timeout: 60_000 }).toBeGreaterThan(0);
    const mailed = (): string[] => mail.received.flatMap(({ to }) => to);
    await mail.until(() => mailed().includes(userOf(OTHER_TENANT)));
    await reset(OTHER_TENANT);
    await mail.until(() => mailed().filter((to) => to === userOf(OTHER_TENANT)).length === 2);
    expect({ webhooks: delivered(TENANT).size, mails: new Set(mailed()) }).toEqual({
      webhooks: 1,
      mails: new Set([userOf(OTHER_TENANT)]),
    });
    const webhookLines = node
      .logged()
      .split('\n')
      .filter((line) => line.includes('"delivery":'));
    expect(webhookLines.filter((line) => line.includes('"level":"warn"') || line.includes('in-the-url'))).toEqual([]);
    expect(new Set(lines('mail not taken').map(({ tenant }) => tenant))).toEqual(new Set([TENANT, OTHER_TENANT]));
  },
);

test(
  'a tenant that is moved loses none: what the courier held of its old place leaves from the new one',
  { timeout: 120_000 },
  async () => {
    const dir = mkdtempSync(join(tmpdir(), 'skep-moved-courier-'));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    const plain = await startReceiver();
    onTestFinished(() => plain.stop());
    const receiver = new SilentReceiver(plain);
    const hook = `{ name: site, url: "http://127.0.0.1:${plain.port}/", secret: "\${SKEP_TEST_WEBHOOK}", timeout: 60s }`;
    const it = await startMagazine({
      localdir: magazineWith(dir, `webhooks:\n  - ${hook}\n`),
      extra: `outbound: { allow_private: ["127.0.0.1:${plain.port}"] }`,
    });
    onTestFinished(() => it.stop());
    const editor = await it.service();
    for (let i = 0; i < STORIES; i++)
      expect((await it.call('POST', POSTS, editor, { title: `story ${i}` })).status).toBe(201);
    await expect.poll(() => receiver.of(TENANT).length, { timeout: 20_000 }).toBe(WORKERS);
    const { shard } = it.node.tenants().find(({ position }) => position.key === TENANT)!;
    await it.node.copies.move({ tenant: TENANT, shard: shard === 0 ? 1 : 0 });
    receiver.comeUp();
    const arrived = (): number => new Set(receiver.of(TENANT).map(({ headers }) => headers['webhook-id'])).size;
    await expect.poll(arrived, { timeout: 60_000 }).toBe(STORIES);
  },
);
