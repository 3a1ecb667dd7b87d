/**
 * Logins of `@skep/client` in Debian's Chromium: by passkey with a virtual authenticator, with an OpenID provider, in cookies of a site; and that tabs renew one at a
 * time, under a Web Lock. Node, provider and the page's server are real.
 */
import { appendFileSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROOT } from '#runtime/place.ts';
import { bundled } from '#test/kit/bundled-client.ts';
import { hasChromium, Site } from '#test/kit/chromium.ts';
import { ChromiumPage } from '#test/kit/chromium-page.ts';
import { CLIENT, personCookie, startOpenIdProvider, type OpenIdProvider } from '#test/kit/openid-provider.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { startTestNode, type TestNode } from '#test/kit/test-node.ts';
import { EMAIL, PASSWORD } from '#test/kit/users.ts';

const products = fileURLToPath(new URL('../kit/products/', import.meta.url));
const clientCode = (): Promise<string> => bundled(`export * from '${ROOT}client/index.ts';`);
const refreshes = (...tabs: readonly ChromiumPage[]): number =>
  tabs.flatMap(({ fetched }) => fetched).filter((url) => url.endsWith('/auth/refresh')).length;
const login = JSON.stringify({ login: EMAIL, password: PASSWORD });

describe.skipIf(!hasChromium)('a page of another origin', { timeout: 120_000 }, () => {
  const dir = mkdtempSync(join(tmpdir(), 'skep-client-auth-'));
  let site: Site;
  let corp: OpenIdProvider;
  let page: ChromiumPage;
  let it: TestNode;
  let code: string;
  const origin = (): string => site.origin('localhost');

  beforeAll(async () => {
    code = await clientCode();
    site = await Site.open();
    corp = await startOpenIdProvider(true, [`${origin()}/signed-in`]);
    corp.accounts.set('grace', { email: 'grace@corp.example', email_verified: true });
    process.env['CORP_SECRET'] = CLIENT.client_secret;
    const localdir = join(dir, 'shop');
    cpSync(join(products, 'shop'), localdir, { recursive: true });
    const passkeys = { rp_id: 'localhost', rp_name: 'Shop', origins: [origin()] };
    const { client_id } = CLIENT;
    const provider = `{ issuer: "${corp.issuer}", client_id: ${client_id}, client_secret: "\${CORP_SECRET}", redirect_uri: "${origin()}/signed-in", roles: [tenant_user] }`;
    appendFileSync(
      join(localdir, 'product.yaml'),
      `accounts: { sign_up: open, roles: [tenant_user] }\npasskeys: ${JSON.stringify(passkeys)}\noauth: { providers: { corp: ${provider} } }\n`,
    );
    const links = ['reset', 'magic_link', 'sign_up']
      .map((kind) => `${kind}: "${origin()}/${kind}?token={token}"`)
      .join();
    const mail = `identity: { mail: { mailbox: true, from: "Shop <no-reply@shop.example>", links: { ${links} } } }\n`;
    const extra = `${mail}vault: { profile: development }\noutbound: { allow_private: ["${corp.host}"] }\n`;
    it = await startTestNode({ localdir, cors: `{ shop: { origins: ["${origin()}"] } }`, extra });
    await it.node.ask(TENANT, 'identity', 'user.ensure', { login: EMAIL, password: PASSWORD, roles: ['tenant_user'] });
    page = await ChromiumPage.open();
    await page.addAuthenticator();
    await page.command('Network.setCookie', personCookie(corp.issuer, 'grace'));
    await page.goto(`${origin()}/empty`);
  }, 120_000);
  afterAll(async () => {
    await page?.close();
    await it?.stop();
    await corp?.stop();
    await site?.close();
    rmSync(dir, { recursive: true, force: true });
  });

  const runIn = (tab: ChromiumPage, script: string): Promise<unknown> =>
    tab.run(`
      const { beginSignIn, createClient, finishSignIn, logInWithPasskey, prove, registerPasskey } =
        await import(URL.createObjectURL(new Blob([${JSON.stringify(code)}], { type: 'text/javascript' })));
      const noting = async (input, init) => {
        const from = Date.now();
        const answer = await fetch(input, init);
        if (input.endsWith('/auth/refresh')) (globalThis.renewals ??= []).push([from, Date.now()]);
        return answer;
      };
      const place = { url: ${JSON.stringify(it.gateway)}, position: '${TENANT}', storage: localStorage, fetch: noting };
      const skep = createClient(place);
      const me = async () => (await skep.transport.send({ method: 'GET', path: '/auth/me' })).json;
      ${script}`);
  const run = (script: string): Promise<unknown> => runIn(page, script);

  test('registers a passkey with a proof, and logs in with it without a name', async () => {
    const found = await run(`
      const before = await registerPasskey(skep).catch((error) => error.status);
      await skep.auth.login(${login});
      const wrong = await prove(skep, { password: 'no' }).catch((error) => error.code);
      const proof = await prove(skep, { password: ${JSON.stringify(PASSWORD)} });
      const made = await registerPasskey(skep, { name: 'Chromium', proof });
      const twice = await registerPasskey(skep, { proof }).catch((error) => error.name);
      const byPasskey = typeof (await prove(skep));
      await skep.auth.logout();
      const told = [];
      skep.auth.onChange((isLoggedIn) => told.push(isLoggedIn));
      await logInWithPasskey(skep);
      return { before, wrong, name: made.name, twice, byPasskey, login: (await me()).email, told };`);
    expect(found).toEqual({
      before: 401,
      wrong: 'invalid_credentials',
      name: 'Chromium',
      twice: 'InvalidStateError',
      byPasskey: 'string',
      login: EMAIL,
      told: [true],
    });
  });

  test('ends a login whose second step is the passkey', async () => {
    const found = await run(`
      const proof = await prove(skep);
      const { json } = await skep.transport.send({ method: 'GET', path: '/auth/webauthn/credentials' });
      const path = '/auth/webauthn/credentials/' + json.credentials[0].id;
      const ask = { method: 'PATCH', path, headers: { 'X-Skep-Proof': proof }, body: { second_factor: true }, again: 'never' };
      await skep.transport.send(ask);
      await skep.auth.logout();
      const error = await skep.auth.login(${login}).catch((thrown) => thrown);
      await logInWithPasskey(skep, { publicKey: error.details.publicKey });
      return [error.code, skep.auth.isLoggedIn];`);
    expect(found).toEqual(['mfa_required', true]);
  });

  test('two tabs never renew at the same time, and both live on', async () => {
    const tab = await page.newTab();
    await tab.goto(`${origin()}/empty`);
    const expire = `
      const name = Object.keys(localStorage).find((key) => key.startsWith('skep '));
      localStorage.setItem(name, JSON.stringify({ ...JSON.parse(localStorage.getItem(name)), endsAt: 0 }));`;
    const list = "return (await Promise.all(Array.from({ length: 5 }, () => skep.from('item').list()))).length";
    const noted = async (): Promise<[number, number][]> => {
      const each = await Promise.all([page, tab].map((one) => runIn(one, 'return globalThis.renewals ?? []')));
      return (each as [number, number][][]).flat().sort(([one], [other]) => one - other);
    };
    expect([await run('return navigator.locks !== undefined'), await noted()]).toEqual([true, []]);
    for (let round = 1; round <= 5; round++) {
      await run(expire);
      expect(await Promise.all([runIn(page, list), runIn(tab, list)])).toEqual([5, 5]);
    }
    const all = await noted();
    // What one tab has stored reaches another one a moment later: that may renew once more, behind the first, and gets the same tokens.
    expect(all.length).toBeGreaterThanOrEqual(5);
    expect(all.length).toBeLessThanOrEqual(10);
    expect(all.filter(([from], at) => at > 0 && from < all[at - 1]![1])).toEqual([]);
  });

  test('signs in with a provider and comes back; a link that another browser began is refused', async () => {
    await run('await skep.auth.logout()');
    const url = (await run("return beginSignIn(skep, 'corp')")) as string;
    await page.goto(url);
    const found = await run(`
      const { origin, pathname, search } = location;
      const foreign = await finishSignIn(skep, 'corp', { answer: search, storage: { ...sessionStorage, getItem: () => null, removeItem() {} } }).catch((error) => error.code);
      await finishSignIn(skep, 'corp');
      const again = await finishSignIn(skep, 'corp').catch((error) => error.code);
      const { email } = await me();
      return { at: origin + pathname, foreign, again, email };`);
    expect(found).toEqual({
      at: `${origin()}/signed-in`,
      foreign: 'client.foreign_sign_in',
      again: 'client.foreign_sign_in',
      email: 'grace@corp.example',
    });
    await expect(run("return beginSignIn(skep, 'unknown')")).rejects.toThrow();
  });
});

describe.skipIf(!hasChromium)('a page of a site with cookies', { timeout: 120_000 }, () => {
  const dir = mkdtempSync(join(tmpdir(), 'skep-client-site-'));
  let it: TestNode;
  let page: ChromiumPage;
  const site = (): string => it.gateway.replace('127.0.0.1', 'localhost');
  const runIn = (tab: ChromiumPage, script: string): Promise<unknown> =>
    tab.run(`
      const { createClient } = await import('/client.js');
      const skep = createClient({ site: location.origin, cookies: true });
      const list = () => skep.from('note').list().then(({ length }) => length, (error) => error.status);
      ${script}`);
  const forgetAccess = () => page.command('Network.deleteCookies', { name: '__Host-skep-access', url: site() });

  beforeAll(async () => {
    const localdir = join(dir, 'pages');
    cpSync(join(products, 'pages'), localdir, { recursive: true });
    writeFileSync(join(localdir, 'web', 'client.js'), await clientCode());
    const sites = `{ localhost: { tenant: "${TENANT}", cookies: true, web: true } }`;
    it = await startTestNode({ localdir, sites });
    await it.node.ask(TENANT, 'identity', 'user.ensure', { login: EMAIL, password: PASSWORD, roles: ['tenant_user'] });
    page = await ChromiumPage.open();
    await page.goto(`${site()}/`);
  }, 60_000);
  afterAll(async () => {
    await page?.close();
    await it?.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  test('logs in with cookies, keeps no token, and is logged in after a reload', async () => {
    const found = await runIn(
      page,
      `
      const before = [await list(), skep.auth.isLoggedIn];
      await skep.auth.login(${login});
      await skep.from('note').create({ title: 'from a page' });
      return { before, after: [await list(), skep.auth.isLoggedIn], cookies: document.cookie, kept: JSON.stringify({ ...localStorage }) };`,
    );
    expect(found).toMatchObject({ before: [401, false], after: [1, true], cookies: '' });
    expect((found as { kept: string }).kept).not.toContain('v4.public');
    await page.goto(`${site()}/`);
    expect(await runIn(page, 'return [await list(), skep.auth.isLoggedIn]')).toEqual([1, true]);
  });

  test('an access cookie that is gone is renewed by one of two tabs', async () => {
    const tab = await page.newTab();
    await tab.goto(`${site()}/`);
    for (let round = 1; round <= 5; round++) {
      await forgetAccess();
      const all = 'return Promise.all(Array.from({ length: 5 }, list))';
      expect(await Promise.all([runIn(page, all), runIn(tab, all)])).toEqual([Array(5).fill(1), Array(5).fill(1)]);
    }
    // Each tab may find its own 401 behind the renewal of the other; that costs a request and no login.
    expect(refreshes(page, tab)).toBeGreaterThanOrEqual(5);
    expect(refreshes(page, tab)).toBeLessThanOrEqual(10);
  });

  test('a logout ends it for all tabs', async () => {
    const tab = await page.newTab();
    await tab.goto(`${site()}/`);
    await runIn(page, 'await skep.auth.logout()');
    expect(await runIn(tab, 'return [await list(), skep.auth.isLoggedIn]')).toEqual([401, false]);
    const before = refreshes(page, tab);
    expect(await runIn(page, 'return [await list(), skep.auth.isLoggedIn]')).toEqual([401, false]);
    expect(refreshes(page, tab)).toBe(before);
  });
});
