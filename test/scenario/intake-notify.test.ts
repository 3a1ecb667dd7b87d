/**
 * Notices of submissions to real receivers: an SMTP server, a webhook, a mail API, a token server. Spec: docs/contract/intake.md
 * §2.6, §5.2 (counted in `notify`), §9 (workers, queue, retries, backoff), §7 (when they start, token cache).
 */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { MailServer } from '#test/kit/mail-server.ts';
import { startTestNode, type TestNode } from '#test/kit/test-node.ts';

const GOOD = { name: 'Ada', email: 'ada@example.org' };
const OPEN = 'ratelimit: { per_ip: 100000, per_ip_burst: 100000, global: 100000, global_burst: 100000 }';
const FIELDS = 'fields:\n  name: { type: string, required: true }\n  email: { type: email, required: true }\n';
const WITH_MAIL = `id: contact\ntitle: Contact us\n${FIELDS}notify: { email: { to: [team@example.org, desk@example.org], subject: A message, reply_to_field: email } }\n`;

interface Seen {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** An HTTP receiver that answers as it is told. */
class Receiver {
  readonly seen: Seen[] = [];
  readonly statuses: number[] = [];
  answer = '';
  readonly #server: Server = createServer((req, res) => {
    let body = '';
    req.setEncoding('utf8').on('data', (text: string) => (body += text));
    req.on('end', () => {
      this.seen.push({ path: req.url!, headers: req.headers, body });
      res.writeHead(this.statuses.shift() ?? 200, { 'Content-Type': 'application/json' }).end(this.answer);
    });
  });

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

function directory(): string {
  const dir = mkdtempSync(join(tmpdir(), 'skep-notify-'));
  ends.push(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

async function mailServer(...options: ConstructorParameters<typeof MailServer>): Promise<MailServer> {
  const server = new MailServer(...options);
  await server.listen();
  ends.push(() => server.close());
  return server;
}

async function receiver(): Promise<{ it: Receiver; url: string }> {
  const it = new Receiver();
  const url = await it.listen();
  ends.push(() => it.close());
  return { it, url };
}

async function start(dir: string, form: string, lines: string): Promise<TestNode> {
  mkdirSync(join(dir, 'forms'), { recursive: true });
  writeFileSync(join(dir, 'forms', 'contact.yaml'), form);
  const node = await startTestNode({
    dir,
    forms: `{ dir: ${join(dir, 'forms')} }`,
    intake: `  ${OPEN}\n${lines}`,
    extra: 'outbound: { allow_private: ["127.0.0.1"] }',
  });
  let stopped = false;
  const once = async (): Promise<void> => {
    if (stopped) return;
    stopped = true;
    await node.stop();
  };
  ends.push(once);
  return { ...node, stop: once };
}

const own = ({ node }: TestNode): string => node.listeners['intake']!;

async function submit(it: TestNode, body: unknown = GOOD): Promise<string> {
  const answer = await it.call('POST', '/f/contact', {}, body, own(it));
  expect(answer.status).toBe(200);
  return (answer.json as { id: string }).id;
}

async function counts(it: TestNode): Promise<Record<string, number> | undefined> {
  const { json } = await it.call('GET', '/metrics', {}, undefined, own(it));
  return (json as { notify?: Record<string, number> }).notify;
}

const settled = (it: TestNode, wanted: Record<string, number>): Promise<void> =>
  expect.poll(() => counts(it), { timeout: 15_000 }).toMatchObject(wanted);

const smtpLines = (port: number, more = '', notify = 'retry_backoff: 20ms'): string =>
  `  notify: { enabled: true, ${notify} }
  email: { from: forms@skep.example, smtp: { host: 127.0.0.1, port: ${port}, starttls: false, auth: none${more} } }`;

describe('by mail', () => {
  test('one mail to all addresses, with the reply address of the submission; nothing of it in the head', async () => {
    const mail = await mailServer();
    const it = await start(directory(), WITH_MAIL, smtpLines(mail.port));
    const id = await submit(it, { name: 'Ada\r\nBcc: eve@example.org', email: 'ada@example.org' });
    await settled(it, { enqueued: 1, dropped: 0, email_sent: 1, email_failed: 0, chat_sent: 0, chat_failed: 0 });
    const [got] = mail.received;
    expect(got).toMatchObject({
      from: 'forms@skep.example',
      to: ['team@example.org', 'desk@example.org'],
      subject: 'A message',
      messageId: `<${id}@skep.example>`,
    });
    expect(got!.headers['reply-to']).toContain('ada@example.org');
    expect(got!.headers['bcc']).toBeUndefined();
    expect(got!.text).toContain('name: Ada\n    Bcc: eve@example.org');
  });

  test('a temporary failure is tried again, max_retries times and no more', async () => {
    const mail = await mailServer();
    const it = await start(directory(), WITH_MAIL, smtpLines(mail.port, '', 'max_retries: 2, retry_backoff: 20ms'));
    mail.refuseMessages = 451;
    await submit(it);
    await mail.until(() => mail.refused.length === 1);
    mail.refuseMessages = null;
    await settled(it, { email_sent: 1 });
    mail.refuseMessages = 451;
    await submit(it);
    await settled(it, { enqueued: 2, email_sent: 1, email_failed: 1 });
    expect(mail.refused).toHaveLength(1 + 3);
  });

  test('a permanent failure is not tried again', async () => {
    const mail = await mailServer();
    const it = await start(directory(), WITH_MAIL, smtpLines(mail.port));
    mail.refuseMessages = 554;
    await submit(it);
    await settled(it, { email_failed: 1 });
    expect(mail.refused).toHaveLength(1);
  });

  test.each(['embedded', 'jsonl'])(
    'backend %s: what was not sent before a stop leaves after the next start',
    async (backend) => {
      const dir = directory();
      const mail = await mailServer();
      const lines = `${smtpLines(mail.port, '', 'retry_backoff: 10s')}\n  storage: { backend: ${backend} }`;
      const it = await start(dir, WITH_MAIL, lines);
      mail.refuseMessages = 451;
      const id = await submit(it);
      await mail.until(() => mail.refused.length === 1);
      await it.stop();
      mail.refuseMessages = null;
      const again = await start(dir, WITH_MAIL, lines);
      await settled(again, { email_sent: 1 });
      expect(mail.received.map(({ messageId }) => messageId)).toEqual([`<${id}@skep.example>`]);
      await again.stop();
      const third = await start(dir, WITH_MAIL, lines);
      await submit(third);
      await settled(third, { email_sent: 1 });
      expect(mail.received).toHaveLength(2);
    },
  );

  test('a courier that dies is handed again what it had not answered for; so is one that outlives the writer', async () => {
    const mail = await mailServer();
    const it = await start(directory(), WITH_MAIL, smtpLines(mail.port, '', 'retry_backoff: 200ms'));
    mail.refuseMessages = 451;
    await submit(it);
    await mail.until(() => mail.refused.length === 1);
    await it.node.drill.kill('courier');
    await mail.until(() => mail.refused.length === 2);
    await it.node.drill.kill('intake-writer');
    mail.refuseMessages = null;
    await mail.until(() => mail.received.length === 1);
    await settled(it, { email_sent: 1 });
  });

  test('a full outbox drops and counts; the submission is kept', async () => {
    const mail = await mailServer();
    const it = await start(directory(), WITH_MAIL, smtpLines(mail.port, '', 'queue_depth: 2, retry_backoff: 10s'));
    mail.refuseMessages = 451;
    for (let i = 0; i < 5; i++) await submit(it);
    expect(await counts(it)).toMatchObject({ enqueued: 2, dropped: 3 });
  });

  test('xoauth2: one token for many mails, another when the server refuses it', async () => {
    const tokens = await receiver();
    tokens.it.answer = JSON.stringify({ access_token: 'T1', expires_in: 3600 });
    const shown: string[] = [];
    let good = 'T1';
    const mail = await mailServer({
      authOptional: false,
      allowInsecureAuth: true,
      authMethods: ['XOAUTH2'],
      onAuth: ({ username, accessToken }, _session, done) => {
        shown.push(`${username} ${accessToken}`);
        if (accessToken === good) done(null, { user: username });
        else done(null, { data: { status: '401', schemes: 'bearer', scope: 'mail' } });
      },
    });
    const lines = `  notify: { enabled: true, retry_backoff: 20ms, workers: 1 }
  email:
    from: forms@skep.example
    smtp: { host: 127.0.0.1, port: ${mail.port}, starttls: false, auth: xoauth2, username: forms, oauth: { token_url: "${tokens.url}/token", client_id: me, client_secret: hush, scope: mail } }`;
    const it = await start(directory(), WITH_MAIL, lines);
    await submit(it);
    await submit(it);
    await settled(it, { email_sent: 2 });
    expect(tokens.it.seen.map(({ body }) => body)).toEqual([
      'grant_type=client_credentials&client_id=me&client_secret=hush&scope=mail',
    ]);
    good = 'T2';
    tokens.it.answer = JSON.stringify({ access_token: 'T2', expires_in: 3600 });
    await submit(it);
    await settled(it, { email_sent: 3 });
    expect(shown).toEqual(['forms T1', 'forms T1', 'forms T1', 'forms T2']);
    expect(tokens.it.seen).toHaveLength(2);
  });

  test('the mail API: JSON with a bearer key and an Idempotency-Key; 429 is tried again, 400 is not', async () => {
    const api = await receiver();
    api.it.statuses.push(429, 202, 400);
    const lines = `  notify: { enabled: true, retry_backoff: 20ms }
  email: { provider: webapi, from: forms@skep.example, webapi: { url: "${api.url}/mails", api_key: K1 } }`;
    const it = await start(directory(), WITH_MAIL, lines);
    const id = await submit(it);
    await settled(it, { email_sent: 1 });
    expect(api.it.seen).toHaveLength(2);
    expect(api.it.seen[1]!.headers).toMatchObject({ authorization: 'Bearer K1', 'idempotency-key': id });
    expect(JSON.parse(api.it.seen[1]!.body)).toMatchObject({
      from: 'forms@skep.example',
      to: ['team@example.org', 'desk@example.org'],
      subject: 'A message',
      reply_to: 'ada@example.org',
    });
    await submit(it);
    await settled(it, { email_sent: 1, email_failed: 1 });
    expect(api.it.seen).toHaveLength(3);
  });
});

describe('by chat', () => {
  test('to the webhook of the form, else to the default one; markup that a caller sent is text', async () => {
    const chat = await receiver();
    const lines = `  notify: { enabled: true, retry_backoff: 20ms }\n  chat: { default_webhook: "${chat.url}/all" }`;
    const it = await start(
      directory(),
      `id: contact\n${FIELDS}notify: { chat: { webhook: "${chat.url}/own" } }\n`,
      lines,
    );
    await submit(it, { ...GOOD, name: '<!channel> & <https://evil.example|click>' });
    await settled(it, { enqueued: 1, chat_sent: 1 });
    expect(chat.it.seen[0]!.path).toBe('/own');
    const { text } = JSON.parse(chat.it.seen[0]!.body) as { text: string };
    expect(text).toContain('name: &lt;!channel&gt; &amp; &lt;https://evil.example|click&gt;');
  });

  test('a form without its own goes to the default; a receiver that hangs is given up after `timeout`', async () => {
    const chat = await receiver();
    const lines = `  notify: { enabled: true, retry_backoff: 20ms, max_retries: 1, timeout: 100ms }\n  chat: { default_webhook: "${chat.url}/all" }`;
    const it = await start(directory(), `id: contact\n${FIELDS}`, lines);
    chat.it.statuses.push(500);
    await submit(it);
    await settled(it, { chat_sent: 1 });
    expect(chat.it.seen.map(({ path }) => path)).toEqual(['/all', '/all']);
    await chat.it.close();
    await submit(it);
    await settled(it, { chat_sent: 1, chat_failed: 1 });
  });
});

test('enabled without any transport: they stay off, and /metrics has no notify block', async () => {
  const it = await start(directory(), WITH_MAIL, '  notify: { enabled: true }');
  await submit(it);
  expect(await counts(it)).toBeUndefined();
});
