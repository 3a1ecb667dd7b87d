/** Mails in a product's own words, over HTTP and SMTP: parts, language, and the revision that they come from. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MailServer, type Received } from '#test/kit/mail-server.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { startTestNode, type TestNode } from '#test/kit/test-node.ts';
import { EMAIL, PASSWORD, tokenIn } from '#test/kit/users.ts';

const shop = fileURLToPath(new URL('../kit/products/shop', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'skep-mails-'));
const mail = new MailServer();
let it: TestNode;

const write = (language: string, subject: string): void =>
  writeFileSync(
    join(folder, `shop/mails/reset.${language}.yaml`),
    JSON.stringify({ subject, text: `${subject} {{login}}\n\n{{link}}\n`, button: 'Los' }),
  );

beforeAll(async () => {
  cpSync(shop, join(folder, 'shop'), { recursive: true });
  mkdirSync(join(folder, 'shop/mails'));
  write('en', 'Password');
  write('de', 'Passwort');
  await mail.listen();
  const extra = `identity:
  mail:
    smtp: { host: 127.0.0.1, port: ${mail.port}, starttls: false, auth: none }
    from: Shop <no-reply@shop.example>
    links: { reset: "https://shop.example/reset?a=<b>&token={token}", magic_link: "https://shop.example/in#{token}" }
`;
  it = await startTestNode({ localdir: join(folder, 'shop'), extra });
  await it.node.ask(TENANT, 'identity', 'user.ensure', { login: EMAIL, password: PASSWORD, roles: ['tenant_user'] });
});
afterAll(async () => {
  await it.stop();
  await mail.close();
  rmSync(folder, { recursive: true, force: true });
});

async function mailed(path: string, accept: string): Promise<Received> {
  const before = mail.received.length;
  await it.call('POST', path, { ...it.position(), 'Accept-Language': accept }, { login: EMAIL });
  await mail.until(() => mail.received.length > before);
  return mail.received.at(-1)!;
}

test('both parts are in the language that the browser asks for, and the link of each one works', async () => {
  const reset = await mailed('/auth/password/reset', 'de-AT, en;q=0.5');
  expect(reset).toMatchObject({ subject: 'Passwort', to: [EMAIL] });
  const token = tokenIn(reset.text);
  expect(reset.html).toContain('<html lang="de">');
  expect(reset.html).toContain(
    `href="https:&#x2F;&#x2F;shop.example&#x2F;reset?a&#x3D;&lt;b&gt;&amp;token&#x3D;${token}"`,
  );
  const confirmed = await it.call('POST', '/auth/password/confirm', it.position(), { token, password: PASSWORD });
  expect(confirmed.status).toBe(200);
});

test('a kind without words of the product is in built-in English', async () => {
  const link = await mailed('/auth/magic-link', 'de');
  expect(link.subject).toBe('Your login link');
  expect(link.html).toContain('class="button"');
});

test('a mailed code logs in once; a guess says nothing, for a known login and for an unknown one', async () => {
  const { text, html, subject } = await mailed('/auth/code', 'de');
  expect(subject).toBe('Your login code');
  const code = /^\d{8}$/m.exec(text)![0];
  expect(html).toContain(`>${code}</p>`);
  const consume = (body: object) => it.call('POST', '/auth/code/consume', it.position(), body);
  const wrong = await consume({ login: EMAIL, code: 'x' });
  const unknown = await consume({ login: 'eve@example.org', code: 'x' });
  expect([wrong.status, (wrong.json as { code: string }).code]).toEqual([401, 'invalid_mailed_code']);
  expect([unknown.status, unknown.text]).toEqual([wrong.status, wrong.text]);
  expect((await consume({ login: EMAIL, code })).status).toBe(200);
  expect((await consume({ login: EMAIL, code })).text).toBe(wrong.text);
});

test('an edit is served once the tenant is provisioned again, and a faulty one never', async () => {
  write('en', 'Secret');
  expect((await mailed('/auth/password/reset', 'en')).subject).toBe('Password');
  await it.node.provision(TENANT);
  expect((await mailed('/auth/password/reset', 'en')).subject).toBe('Secret');
  writeFileSync(join(folder, 'shop/mails/reset.en.yaml'), 'subject: x\ntext: "{{link}} {{nmae}}"\n');
  await expect(it.node.provision(TENANT)).rejects.toThrow(/reset\.en\.yaml:2:7.*\{\{nmae\}\}/);
});
