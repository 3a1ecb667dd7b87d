/** The development mailbox of a real node: what is shown, to whom, and that no mail leaves. */
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KeptMail } from '#actors/protocol/mailbox.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { call, startTestNode, type TestNode } from '#test/kit/test-node.ts';
import { EMAIL, PASSWORD, tokenIn } from '#test/kit/users.ts';

let it: TestNode;
let base: string;
beforeAll(async () => {
  const extra = `vault: { profile: development }
identity:
  mail:
    mailbox: true
    from: Shop <no-reply@shop.example>
    links: { reset: "https://shop.example/reset?token={token}", magic_link: "https://shop.example/in#{token}" }
`;
  it = await startTestNode({ extra });
  base = it.node.listeners['operations']!;
  await it.node.ask(TENANT, 'identity', 'user.ensure', { login: EMAIL, password: PASSWORD, roles: ['tenant_user'] });
});
afterAll(() => it.stop());

async function mails(): Promise<readonly KeptMail[]> {
  const { json } = await call(base, 'GET', '/mails', { Accept: 'application/json' });
  return (json as { mails: KeptMail[] }).mails;
}

/** Asks again until there are so many. */
async function untilMails(count: number): Promise<readonly KeptMail[]> {
  for (;;) {
    const all = await mails();
    if (all.length >= count) return all;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** The status for a request with another `Host`. */
function asHost(host: string, path = '/mails'): Promise<number> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, headers: { Host: host } }, (res) => {
      res.resume();
      resolve(res.statusCode!);
    });
    sent.on('error', reject).end();
  });
}

describe('a mail', () => {
  test('is kept and shown as a list, as a page, as its HTML part; its link logs in', async () => {
    expect((await call(base, 'GET', '/mails')).text).toContain('No mail yet.');
    await it.call('POST', '/auth/magic-link', it.position(), { login: EMAIL });
    const [kept] = await untilMails(1);
    expect(kept).toMatchObject({ no: 1, to: EMAIL, tenant: TENANT, subject: 'Your login link' });
    const list = await call(base, 'GET', '/mails');
    expect(list.text).toContain('<a href="/mails/1">Your login link</a>');
    const token = tokenIn(kept!.text);
    const page = await call(base, 'GET', '/mails/1');
    expect(page.text).toContain(`href="https://shop.example/in#${token}"`);
    const part = await call(base, 'GET', '/mails/1/html');
    expect(part.text).toContain('<base target="_blank">');
    const consumed = await it.call('POST', '/auth/magic-link/consume', it.position(), { token });
    expect(consumed.status).toBe(200);
    for (const { headers } of [list, page, part]) {
      expect(headers.get('content-security-policy')).toMatch(/default-src 'none'/);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    }
    expect(part.headers.get('content-security-policy')).toMatch(/; sandbox allow-popups/);
  });

  test('of no number, or a number that is none, is 404; other verbs are 405', async () => {
    expect((await call(base, 'GET', '/mails/99')).status).toBe(404);
    for (const path of ['/mails/', '/mails/x', '/mails/1/text', '/mails/1/html/', '/mails/-1'])
      expect((await call(base, 'GET', path)).status, path).toBe(404);
    expect((await call(base, 'DELETE', '/mails/1')).status).toBe(405);
    expect((await call(base, 'HEAD', '/mails')).status).toBe(200);
  });
});

test('a page under another name that was bound to this machine reads nothing', async () => {
  for (const host of ['evil.example', 'evil.example:9098', '127.0.0.1.evil.example', '10.0.0.1', '[::2]:1', 'x y'])
    expect(await asHost(host), host).toBe(403);
  for (const host of ['localhost', 'localhost:9098', '127.0.0.1:1', '[::1]:9098', '[::1]'])
    expect(await asHost(host), host).toBe(200);
  expect(await asHost('evil.example', '/livez')).toBe(200);
});

test('the mailbox is not on the gateway', async () => {
  expect((await it.call('GET', '/mails')).status).toBe(404);
});

test('a courier that is started again has lost what it kept, and keeps what comes', async () => {
  await it.call('POST', '/auth/password/reset', it.position(), { login: EMAIL });
  await untilMails(2);
  await it.node.drill.kill('courier');
  await it.call('POST', '/auth/password/reset', it.position(), { login: EMAIL });
  for (;;) {
    const { status, json } = await call(base, 'GET', '/mails', { Accept: 'application/json' });
    expect([200, 503]).toContain(status);
    const kept = status === 200 ? (json as { mails: KeptMail[] }).mails : [];
    if (kept.length === 1) break;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
});
