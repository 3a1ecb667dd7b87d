/** Captchas on a real node: over HTTP, and by ALTCHA's own widget in Debian's Chromium. Spec: docs/contract/identity-captcha.md, docs/contract/intake.md §4.6. */
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { solved } from '#test/kit/altcha.ts';
import { hasChromium } from '#test/kit/chromium.ts';
import { ChromiumPage } from '#test/kit/chromium-page.ts';
import { readLog } from '#test/kit/intake-log.ts';
import { MailServer } from '#test/kit/mail-server.ts';
import { startTestNode, type Answer, type TestNode } from '#test/kit/test-node.ts';

const SECRET = { 'X-Edge-Gateway-Secret': 'of the gateway' };
const PAGE = `<!doctype html><title>form</title><script type="module" src="/altcha.js"></script>
<form><input name="text" value="hello"></form>`;
const WIDGET = fileURLToPath(new URL('../../node_modules/altcha/dist/altcha.js', import.meta.url));

let pages: Server;
let origin: string;
let mail: MailServer;
let it: TestNode;
let dir: string;

beforeAll(async () => {
  pages = createServer((request, response) => {
    const isScript = request.url === '/altcha.js';
    response.writeHead(200, { 'Content-Type': isScript ? 'text/javascript' : 'text/html' });
    response.end(isScript ? readFileSync(WIDGET) : PAGE);
  });
  await new Promise<void>((resolve) => void pages.listen(0, '127.0.0.1', resolve));
  // A secure context, so that the page has Web Crypto.
  origin = `http://localhost:${(pages.address() as AddressInfo).port}`;
  mail = new MailServer();
  await mail.listen();
  dir = mkdtempSync(join(tmpdir(), 'skep-captcha-'));
  const product = join(dir, 'product');
  cpSync(new URL('../kit/products/shop', import.meta.url).pathname, product, { recursive: true });
  const accounts = 'accounts: { sign_up: open, roles: [tenant_user], captcha: { provider: altcha, difficulty: 5000 } }';
  appendFileSync(join(product, 'product.yaml'), `${accounts}\n`);
  mkdirSync(join(dir, 'forms'));
  const fields = 'fields: { text: { type: string, required: true } }';
  writeFileSync(join(dir, 'forms', 'guarded.yaml'), `id: guarded\n${fields}\ncaptcha: altcha\n`);
  writeFileSync(join(dir, 'forms', 'open.yaml'), `id: open\n${fields}\n`);
  it = await startTestNode({
    dir,
    localdir: product,
    cors: `{ shop: { origins: ["${origin}"] } }`,
    forms: `{ dir: ${join(dir, 'forms')} }`,
    intake: `  cors: { origins: ["${origin}"] }\n  security: { gateway_secret: "${SECRET['X-Edge-Gateway-Secret']}" }`,
    extra: `identity: { mail: { smtp: { host: 127.0.0.1, port: ${mail.port}, starttls: false, auth: none }, from: no-reply@shop.example, links: { reset: "https://shop.example/r#{token}", magic_link: "https://shop.example/m#{token}", sign_up: "https://shop.example/s#{token}" } } }`,
  });
}, 120_000);
afterAll(async () => {
  await it.stop();
  await mail.close();
  await new Promise((resolve) => pages.close(resolve));
  rmSync(dir, { recursive: true, force: true });
});

const codeOf = ({ json }: Answer): unknown => (json as { code?: string } | undefined)?.code;
const stored = () => readLog(join(dir, 'data', 'intake', 'jsonl')).map(({ fields }) => fields);

describe('over HTTP', () => {
  test('a challenge of identity goes to pages of the product, and a sign-up shows its answer once', async () => {
    const from = { ...it.position(), Origin: origin };
    const challenge = await it.call('GET', '/auth/captcha?for=sign_up', from);
    expect(challenge.status).toBe(200);
    expect(challenge.headers.get('cache-control')).toBe('no-store');
    expect(challenge.headers.get('access-control-allow-origin')).toBe(origin);
    const body = { email: 'ada@example.org', altcha: await solved(challenge.json) };
    expect(codeOf(await it.call('POST', '/auth/sign-up', from, { email: body.email }))).toBe('captcha_required');
    expect((await it.call('POST', '/auth/sign-up', from, body)).status).toBe(202);
    expect(codeOf(await it.call('POST', '/auth/sign-up', from, body))).toBe('captcha_invalid');
    await mail.until(() => mail.received.length === 1);
    const found = await it.call('GET', '/.well-known/skep', from);
    expect(found.json).toMatchObject({ captcha: 'altcha', endpoints: { captcha: '/auth/captcha' } });
  });

  test('a challenge of a form wants the gateway secret, and goes to pages of the listed origins', async () => {
    const own = it.node.listeners['intake']!;
    for (const base of [it.gateway, own]) {
      expect((await it.call('GET', '/f/guarded/captcha', {}, undefined, base)).status).toBe(403);
      const allowed = await it.call('GET', '/f/guarded/captcha', { ...SECRET, Origin: origin }, undefined, base);
      expect(allowed.status).toBe(200);
      expect(allowed.headers.get('access-control-allow-origin')).toBe(origin);
      expect(allowed.headers.get('cache-control')).toBe('no-store');
      const foreign = await it.call(
        'GET',
        '/f/guarded/captcha',
        { ...SECRET, Origin: 'https://else.example' },
        undefined,
        base,
      );
      expect(foreign.headers.get('access-control-allow-origin')).toBeNull();
      expect(codeOf(await it.call('GET', '/f/open/captcha', SECRET, undefined, base))).toBe('intake.no_captcha');
      const text = `by ${base}`;
      expect(codeOf(await it.call('POST', '/f/guarded', SECRET, { text }, base))).toBe('intake.captcha_required');
      const altcha = await solved(allowed.json);
      expect((await it.call('POST', '/f/guarded', SECRET, { text, altcha }, base)).status).toBe(200);
      expect(codeOf(await it.call('POST', '/f/guarded', SECRET, { text, altcha }, base))).toBe(
        'intake.captcha_invalid',
      );
      expect(stored()).toContainEqual({ text });
    }
  });
});

/** In the page: a widget in the form, once it says that it is verified; gives what it put into the field of the form. */
const SHOW = `
const form = document.querySelector('form');
await customElements.whenDefined('altcha-widget');
const answer = (attributes, more = {}) => new Promise((resolve, reject) => {
  const widget = document.createElement('altcha-widget');
  for (const [name, value] of Object.entries(attributes)) widget.setAttribute(name, value);
  widget.addEventListener('load', () => { widget.configure(more); });
  widget.addEventListener('statechange', ({ detail }) => {
    if (detail.state === 'verified') setTimeout(() => { resolve(new FormData(form).get('altcha')); widget.remove(); });
    if (detail.state === 'error') reject(new Error('the widget failed'));
  });
  form.append(widget);
});
`;

describe.skipIf(!hasChromium)('the widget in Chromium', { timeout: 120_000 }, () => {
  let page: ChromiumPage;
  beforeAll(async () => {
    page = await ChromiumPage.open();
    await page.goto(`${origin}/`);
  }, 60_000);
  afterAll(() => page.close());

  const run = (script: string): Promise<unknown> => {
    const at = { gateway: it.gateway, position: it.position(), secret: SECRET };
    return page.run(`const at = ${JSON.stringify(at)};${SHOW}${script}`);
  };

  test('signs up: the position goes along by the fetch of the page', async () => {
    const found = await run(`
      const customfetch = (url, init) => fetch(url, { ...init, headers: { ...init?.headers, ...at.position } });
      const altcha = await answer({ auto: 'onload', challengeurl: at.gateway + '/auth/captcha?for=sign_up' }, { customfetch });
      const headers = { ...at.position, 'Content-Type': 'application/json' };
      const post = async () => (await fetch(at.gateway + '/auth/sign-up', { method: 'POST', headers, body: JSON.stringify({ email: 'eve@example.org', altcha }) })).status;
      return [await post(), await post()];
    `);
    expect(found).toEqual([202, 400]);
    await mail.until(() => mail.received.some(({ to }) => to.includes('eve@example.org')));
  });
});
