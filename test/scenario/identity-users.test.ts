/** Users over HTTP to a real node with a real mail server: login to logout, and mail that survives crashes. Spec: docs/contract/identity-users.md §1. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { Channel } from '#actors/protocol/channel.ts';
import { MailServer } from '#test/kit/mail-server.ts';
import { OTHER_TENANT, TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { startProcess } from '#test/kit/process-node.ts';
import { call, positionHeaders, startTestNode, type Answer, type TestNode } from '#test/kit/test-node.ts';
import { EMAIL, PASSWORD, tokenIn } from '#test/kit/users.ts';

const NEW = 'battery staple';
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean();
});

const mailSection = (port: number): string => `identity:
  mail:
    smtp: { host: 127.0.0.1, port: ${port}, starttls: false, auth: none }
    from: Shop <no-reply@shop.example>
    links: { reset: "https://shop.example/reset?token={token}", magic_link: "https://shop.example/in#{token}" }
`;

async function openMail(port = 0): Promise<MailServer> {
  const mail = new MailServer();
  await mail.listen(port);
  cleanups.push(() => mail.close());
  return mail;
}

async function openNode(wish: Parameters<typeof startTestNode>[0] = {}): Promise<TestNode> {
  const it = await startTestNode(wish);
  cleanups.push(() => it.stop());
  await addUser(it);
  return it;
}

const addUser = (it: TestNode): Promise<unknown> =>
  it.node.ask(TENANT, 'identity', 'user.ensure', { login: EMAIL, password: PASSWORD, roles: ['tenant_user'] });

const post = (it: TestNode, path: string, body: object, headers = {}): Promise<Answer> =>
  it.call('POST', path, { ...it.position(), ...headers }, body);

const login = (it: TestNode, body: object = {}): Promise<Answer> =>
  post(it, '/auth/login', { login: EMAIL, password: PASSWORD, ...body });

const codeOf = ({ json }: Answer): string => (json as { code: string }).code;
const field = ({ json }: Answer, name: string): string => (json as Record<string, string>)[name]!;

describe('a user', () => {
  test('logs in, reads, refreshes, logs out; the same words at another tenant mean nothing', async () => {
    const it = await openNode();
    const first = await login(it);
    expect(first.status).toBe(200);
    expect(first.headers.get('cache-control')).toBe('no-store');
    const bearer = { Authorization: `Bearer ${field(first, 'access_token')}` };
    expect((await post(it, '/auth/apikey', {}, bearer)).status).toBe(201);
    expect((await it.call('GET', '/data/rest/shop', { ...it.position(OTHER_TENANT), ...bearer })).status).toBe(401);
    const elsewhere = await it.call('POST', '/auth/login', it.position(OTHER_TENANT), {
      login: EMAIL,
      password: PASSWORD,
    });
    expect([elsewhere.status, codeOf(elsewhere)]).toEqual([401, 'invalid_credentials']);

    const refresh_token = field(first, 'refresh_token');
    const second = await post(it, '/auth/refresh', { refresh_token });
    expect(second.status).toBe(200);
    const other = await it.call('POST', '/auth/refresh', it.position(OTHER_TENANT), { refresh_token });
    expect(codeOf(other)).toBe('invalid_refresh_token');
    expect((await post(it, '/auth/logout', { refresh_token: field(second, 'refresh_token') })).status).toBe(200);
    const third = await post(it, '/auth/refresh', { refresh_token: field(second, 'refresh_token') });
    expect(codeOf(third)).toBe('invalid_refresh_token');
  });

  test('twenty parallel replays get one successor; the token ends its family once that successor was used', async () => {
    const it = await openNode();
    const refresh_token = field(await login(it), 'refresh_token');
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(it, '/auth/refresh', { refresh_token })));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    const [successor, ...others] = new Set(answers.map((answer) => field(answer, 'refresh_token')));
    expect(others).toEqual([]);
    const after = await post(it, '/auth/refresh', { refresh_token: successor });
    expect(after.status).toBe(200);
    expect(codeOf(await post(it, '/auth/refresh', { refresh_token }))).toBe('refresh_reused');
    const ended = await post(it, '/auth/refresh', { refresh_token: field(after, 'refresh_token') });
    expect(codeOf(ended)).toBe('invalid_refresh_token');
  });

  test('is held back by the profiles', async () => {
    const it = await openNode({
      rates: '  auth_login: { burst: 2, per_second: 0.01 }\n  auth_reset: { burst: 1, per_second: 0.01 }\n',
    });
    const logins = [await login(it), await login(it), await login(it)];
    expect(logins.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(logins[2]!.json).toMatchObject({ error: 'rate_limited', profile: 'auth_login' });
    const resets = [EMAIL, 'eve@example.org'].map((name) => post(it, '/auth/password/reset', { login: name }));
    expect((await Promise.all(resets)).map(({ status }) => status).sort((a, b) => a - b)).toEqual([202, 429]);
  });
});

describe('mail', () => {
  test('a reset and a magic link travel by mail; unknown addresses get the same answer and no mail', async () => {
    const mail = await openMail();
    const it = await openNode({ extra: mailSection(mail.port) });
    const known = await post(it, '/auth/password/reset', { login: EMAIL });
    const unknown = await post(it, '/auth/password/reset', { login: 'eve@example.org' });
    expect([known.status, known.text]).toEqual([202, '{"ok":true}']);
    expect([unknown.status, unknown.text]).toEqual([known.status, known.text]);
    await mail.until(() => mail.received.length === 1);
    const [reset] = mail.received;
    expect(reset).toMatchObject({ from: 'no-reply@shop.example', to: [EMAIL], subject: 'Reset your password' });
    const confirmed = await post(it, '/auth/password/reset/confirm', { token: tokenIn(reset!.text), password: NEW });
    expect(confirmed.status).toBe(200);
    expect((await login(it)).status).toBe(401);
    expect((await login(it, { password: NEW })).status).toBe(200);

    await post(it, '/auth/magic-link', { login: EMAIL });
    await mail.until(() => mail.received.length === 2);
    const token = tokenIn(mail.received[1]!.text);
    expect((await post(it, '/auth/magic-link/consume', { token })).status).toBe(200);
    expect(codeOf(await post(it, '/auth/magic-link/consume', { token }))).toBe('invalid_one_time_token');
    await it.stop();
    cleanups.splice(cleanups.length - 1, 1);
    expect(mail.received).toHaveLength(2);
  });

  test('a permanent failure ends the mail; the next one leaves', async () => {
    const mail = await openMail();
    const it = await openNode({ extra: mailSection(mail.port) });
    mail.refuseRecipients = 550;
    await post(it, '/auth/magic-link', { login: EMAIL });
    await mail.until(() => mail.recipients === 1);
    mail.refuseRecipients = null;
    await post(it, '/auth/password/reset', { login: EMAIL });
    await mail.until(() => mail.received.length === 1);
    expect(mail.received[0]!.subject).toBe('Reset your password');
    expect(mail.recipients).toBe(2);
  });

  test('a temporary failure is tried again by itself', async () => {
    const mail = await openMail();
    const it = await openNode({ extra: mailSection(mail.port) });
    mail.refuseRecipients = 450;
    await post(it, '/auth/magic-link', { login: EMAIL });
    await mail.until(() => mail.recipients === 1);
    mail.refuseRecipients = null;
    await mail.until(() => mail.received.length === 1);
    const token = tokenIn(mail.received[0]!.text);
    expect((await post(it, '/auth/magic-link/consume', { token })).status).toBe(200);
  });

  test('a courier that is killed loses nothing: its successor sends under the same Message-ID, and both links open', async () => {
    const mail = await openMail();
    const it = await openNode({ extra: mailSection(mail.port) });
    mail.refuseMessages = 451;
    await post(it, '/auth/magic-link', { login: EMAIL });
    await mail.until(() => mail.refused.length === 1);
    await it.node.drill.kill('courier');
    mail.refuseMessages = null;
    await mail.until(() => mail.received.length === 1);
    const [first] = mail.refused;
    const [second] = mail.received;
    expect(second!.messageId).toBe(first!.messageId);
    expect(tokenIn(second!.text)).not.toBe(tokenIn(first!.text));
    const consumed = [first!, second!].map(({ text }) =>
      post(it, '/auth/magic-link/consume', { token: tokenIn(text) }),
    );
    expect((await Promise.all(consumed)).map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 401]);
  });

  test("a host that is killed while its mail travels: the courier's answer finds the successor", async () => {
    const mail = await openMail();
    const it = await openNode({ extra: mailSection(mail.port) });
    mail.refuseRecipients = 450;
    const asks = vi.spyOn(Channel.prototype, 'ask');
    onTestFinished(() => asks.mockRestore());
    const settled = (): boolean =>
      asks.mock.calls.some(
        ([topic], at) => topic === 'mail.settle' && asks.mock.settledResults[at]?.type === 'fulfilled',
      );
    await post(it, '/auth/password/reset', { login: EMAIL });
    await mail.until(() => mail.recipients === 1);
    await it.node.drill.killHost(0);
    mail.refuseRecipients = null;
    await mail.until(() => mail.received.length === 1);
    await expect.poll(settled, { timeout: 15_000 }).toBe(true);
    expect(mail.received).toHaveLength(1);
  });

  test('a node that stops with mail undelivered sends it after the next start', async () => {
    const mail = await openMail();
    const { port } = mail;
    const dir = mkdtempSync(join(tmpdir(), 'skep-users-'));
    cleanups.push(() => rmSync(dir, { recursive: true, force: true }));
    const first = await startTestNode({ dir, extra: mailSection(port) });
    await addUser(first);
    mail.refuseRecipients = 450;
    await post(first, '/auth/password/reset', { login: EMAIL });
    await mail.until(() => mail.recipients === 1);
    await first.stop();
    mail.refuseRecipients = null;
    const second = await startTestNode({ dir, extra: mailSection(port) });
    cleanups.push(() => second.stop());
    await mail.until(() => mail.received.length === 1);
    const body = { token: tokenIn(mail.received[0]!.text), password: NEW };
    expect((await post(second, '/auth/password/confirm', body)).status).toBe(200);
    expect((await login(second, { password: NEW })).status).toBe(200);
  });

  test('kill -9 of the process: what was answered with 202 still leaves', async () => {
    const mail = await openMail();
    const dir = mkdtempSync(join(tmpdir(), 'skep-users-'));
    cleanups.push(() => rmSync(dir, { recursive: true, force: true }));
    const prepared = await startTestNode({ dir, extra: mailSection(mail.port) });
    await addUser(prepared);
    await prepared.stop();
    mail.refuseRecipients = 451;
    const file = writePlatformFile(dir, { extra: mailSection(mail.port) });
    const first = await startProcess(file);
    const answer = await call(first.listeners['gateway']!, 'POST', '/auth/magic-link', positionHeaders(TENANT), {
      login: EMAIL,
    });
    expect(answer.status).toBe(202);
    await first.end('SIGKILL');
    mail.refuseRecipients = null;
    const second = await startProcess(file);
    cleanups.push(() => second.end('SIGTERM'));
    await mail.until(() => mail.received.length === 1);
    const token = tokenIn(mail.received[0]!.text);
    const consumed = await call(
      second.listeners['gateway']!,
      'POST',
      '/auth/magic-link/consume',
      positionHeaders(TENANT),
      { token },
    );
    expect(consumed.status).toBe(200);
  });
});
