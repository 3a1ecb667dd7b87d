/**
 * The life of a user in Debian's Chromium, in a page of another origin that is written with `fetch` alone: sign-up, the mailed link, logins with password,
 * passkey and an OpenID provider that is linked meanwhile, a picture by signed URL, two tabs, a new start of the node. Node, page's server, mailbox and
 * provider are real; what each part refuses is tested elsewhere.
 */
import { appendFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium, Site } from '#test/kit/chromium.ts';
import { ChromiumPage } from '#test/kit/chromium-page.ts';
import { CLIENT, personCookie, startOpenIdProvider, type OpenIdProvider } from '#test/kit/openid-provider.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { startProcess, type ProcessNode } from '#test/kit/process-node.ts';
import { call, positionHeaders, startTestNode } from '#test/kit/test-node.ts';

const EMAIL = 'ada@example.org';
const PASSWORD = 'correct horse battery';
const ENV = { CORP_SECRET: CLIENT.client_secret };

/** A red point. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC';

/** The page: it keeps its tokens where its tabs find them, and knows nothing but the address of the node and its position. */
const APP = `
const ask = async (method, path, body, more = {}) => {
  const isJson = body !== undefined && !(body instanceof FormData);
  const headers = { ...at.position, ...(isJson ? { 'Content-Type': 'application/json' } : {}), ...more };
  const answer = await fetch(at.gateway + path, { method, headers, body: isJson ? JSON.stringify(body) : body });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? null : JSON.parse(text) };
};
const keep = ({ status, body }) => {
  if (status === 200) for (const name of ['access_token', 'refresh_token']) localStorage.setItem(name, body[name]);
  return status;
};
const mine = () => ({ Authorization: 'Bearer ' + localStorage.getItem('access_token') });
const refresh = () => ask('POST', '/auth/refresh', { refresh_token: localStorage.getItem('refresh_token') });
const me = async () => (await ask('GET', '/auth/me', undefined, mine())).body;
const create = async (publicKey) =>
  (await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(publicKey) })).toJSON();
const get = async (publicKey) =>
  (await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(publicKey) })).toJSON();
const show = (src) => new Promise((resolve) => {
  const image = Object.assign(new Image(), { onload: () => resolve(image.naturalWidth), onerror: () => resolve('broken'), src });
  document.body.append(image);
});
const came = () => Object.fromEntries(new URLSearchParams(location.search));
const leave = (url) => { localStorage.setItem('state', new URL(url).searchParams.get('state')); return url; };
const isOurs = () => came().state === localStorage.getItem('state');
`;

describe.skipIf(!hasChromium)('a page of another origin in Chromium', { timeout: 120_000 }, () => {
  let site: Site;
  let corp: OpenIdProvider;
  let page: ChromiumPage;
  let it: ProcessNode;
  let dir: string;
  let file: string;
  const origin = () => site.origin('localhost');
  const gateway = () => it.listeners['gateway']!;

  beforeAll(async () => {
    site = await Site.open();
    corp = await startOpenIdProvider(true, [`${origin()}/signed-in`, `${origin()}/account`]);
    corp.accounts.set('ada-at-corp', { email: 'ada@corp.example', email_verified: false });
    dir = mkdtempSync(join(tmpdir(), 'skep-page-'));
    file = await provisioned();
    it = await startProcess(file, ENV);
    page = await ChromiumPage.open();
    await page.addAuthenticator();
    await page.command('Network.setCookie', personCookie(corp.issuer, 'ada-at-corp'));
    await page.goto(`${origin()}/start`);
  }, 120_000);
  afterAll(async () => {
    await page?.close();
    await it?.end('SIGTERM');
    await corp?.stop();
    await site?.close();
    rmSync(dir, { recursive: true, force: true });
  });

  /** The platform file of a directory whose tenants are provisioned. */
  async function provisioned(): Promise<string> {
    const localdir = join(dir, 'shop');
    cpSync(fileURLToPath(new URL('../kit/products/shop/', import.meta.url)), localdir, { recursive: true });
    const { client_id } = CLIENT;
    const more = {
      sessions: { mode: 'managed' },
      accounts: { sign_up: 'open', roles: ['tenant_user'] },
      passkeys: { rp_id: 'localhost', rp_name: 'Shop', origins: [origin()] },
    };
    const lines = Object.entries(more).map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`);
    const provider = `{ issuer: "${corp.issuer}", client_id: ${client_id}, client_secret: "\${CORP_SECRET}", redirect_uri: "${origin()}/signed-in", redirect_uris: ["${origin()}/account"] }`;
    appendFileSync(join(localdir, 'product.yaml'), `${lines.join('')}oauth: { providers: { corp: ${provider} } }\n`);
    const links = ['reset', 'magic_link', 'sign_up'].map((kind) => `${kind}: "${origin()}/${kind}?token={token}"`);
    const extra = `vault: { profile: development }
outbound: { allow_private: ["${corp.host}"] }
identity: { mail: { mailbox: true, from: "Shop <no-reply@shop.example>", links: { ${links.join(', ')} } } }
`;
    const cors = `{ shop: { origins: ["${origin()}"] } }`;
    Object.assign(process.env, ENV);
    const first = await startTestNode({ dir, localdir, cors, extra });
    await first.stop();
    return join(dir, 'platform.yaml');
  }

  const runIn = (tab: ChromiumPage, script: string): Promise<unknown> => {
    const at = { gateway: gateway(), position: positionHeaders(TENANT), email: EMAIL, password: PASSWORD };
    return tab.run(`const at = ${JSON.stringify(at)};${APP}${script}`);
  };
  const run = (script: string): Promise<unknown> => runIn(page, script);
  const logIn = "keep(await ask('POST', '/auth/login', { login: at.email, password: at.password }))";

  /** The address in the newest mail, as its reader opens it. */
  async function mailedLink(): Promise<string> {
    for (;;) {
      const { json } = await call(it.listeners['operations']!, 'GET', '/mails', { Accept: 'application/json' });
      const [newest] = (json as { mails: { text: string }[] }).mails;
      if (newest !== undefined) return /https?:\S+/.exec(newest.text)![0];
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  test('signs a user up; the mailed link leads back to it and makes the account', async () => {
    expect(await run("return (await ask('POST', '/auth/sign-up', { email: at.email })).status")).toBe(202);
    await page.goto(await mailedLink());
    const found = await run(`
      const status = keep(await ask('POST', '/auth/sign-up/confirm', { token: came().token, password: at.password }));
      const { email, verified, roles } = await me();
      return { status, email, verified, roles };`);
    expect(found).toEqual({ status: 200, email: EMAIL, verified: true, roles: ['tenant_user'] });
  });

  test('logs in with the password, registers a passkey and logs in with that', async () => {
    const found = await run(`
      const login = ${logIn};
      const begun = await ask('POST', '/auth/webauthn/register/begin', undefined, mine());
      const made = await ask('POST', '/auth/webauthn/register/finish', { credential: await create(begun.body.publicKey) }, mine());
      const { id } = await me();
      localStorage.clear();
      const options = await ask('POST', '/auth/webauthn/login/begin');
      const byPasskey = keep(await ask('POST', '/auth/webauthn/login/finish', { credential: await get(options.body.publicKey) }));
      return { login, made: made.status, byPasskey, same: (await me()).id === id };`);
    expect(found).toEqual({ login: 200, made: 201, byPasskey: 200, same: true });
  });

  test('links an account at a provider with a proof by passkey, and signs in with it, as the same user', async () => {
    const linking = await run(`
      const begun = await ask('POST', '/auth/proof/begin', undefined, mine());
      const { body: { proof } } = await ask('POST', '/auth/proof', { credential: await get(begun.body.publicKey) }, mine());
      const wish = { redirect_uri: location.origin + '/account' };
      const { body } = await ask('POST', '/auth/me/oauth/corp/link', wish, { ...mine(), 'X-Skep-Proof': proof });
      return leave(body.authorization_url);`);
    await page.goto(String(linking));
    const linked = await run(`
      const { status, body } = await ask('POST', '/auth/me/oauth/corp/callback', came(), mine());
      localStorage.setItem('id', (await me()).id);
      return [location.pathname, isOurs(), status, body.provider, body.email];`);
    expect(linked).toEqual(['/account', true, 200, 'corp', null]);
    await page.goto(
      String(await run("return leave((await ask('GET', '/auth/oauth/corp/start')).body.authorization_url)")),
    );
    const signedIn = await run(`
      const status = keep(await ask('GET', '/auth/oauth/corp/callback' + location.search));
      return [location.pathname, isOurs(), status, (await me()).id === localStorage.getItem('id')];`);
    expect(signedIn).toEqual(['/signed-in', true, 200, true]);
  });

  test('shows a picture by signed URL, which no header goes with', async () => {
    const found = await run(`
      const form = new FormData();
      form.append('id', 'p1');
      form.append('title', 'pictured');
      form.append('scan', new File([Uint8Array.from(atob('${PNG}'), (c) => c.charCodeAt(0))], 'point.png', { type: 'image/png' }));
      const made = await ask('POST', '/data/rest/paper', form, mine());
      const signed = await ask('POST', '/data/rest/paper/id/p1/sign', { field: 'scan', disposition: 'inline' }, mine());
      localStorage.setItem('picture', signed.body.url);
      const bare = at.gateway + '/data/rest/paper/id/p1?download=true&field=scan';
      return [made.status, await show(at.gateway + localStorage.getItem('picture')), await show(bare)];`);
    expect(found).toEqual([201, 1, 'broken']);
  });

  test('two tabs refresh at once with one token, and both go on', async () => {
    const tab = await page.newTab();
    await tab.goto(`${origin()}/second`);
    const script = `
      const answer = await refresh();
      const { status } = await ask('GET', '/data/rest/paper', undefined, { Authorization: 'Bearer ' + answer.body.access_token });
      return [answer.status, status, answer.body.refresh_token];`;
    const [first, second] = (await Promise.all([runIn(page, script), runIn(tab, script)])) as unknown[][];
    expect(first!.slice(0, 2)).toEqual([200, 200]);
    expect(second).toEqual(first);
    // Each tab goes on with what it was given, at once again: what one stores reaches the other late.
    const goOn = `localStorage.setItem('refresh_token', '${String(second![2])}'); return [keep(await refresh()), (await me()).email];`;
    expect(await Promise.all([runIn(page, goOn), runIn(tab, goOn)])).toEqual([
      [200, EMAIL],
      [200, EMAIL],
    ]);
    await tab.close();
  });

  test('is still logged in when the node was started anew, without being loaded again', async () => {
    expect(await it.end('SIGTERM')).toBe(0);
    it = await startProcess(file, ENV);
    const found = await run(`
      const kept = (await me()).email;
      const refreshed = keep(await refresh());
      const list = await ask('GET', '/data/rest/paper', undefined, mine());
      return [kept, refreshed, list.body.count, await show(at.gateway + localStorage.getItem('picture'))];`);
    expect(found).toEqual([EMAIL, 200, 1, 1]);
  });

  test('logs out for good', async () => {
    const found = await run(`
      const out = await ask('POST', '/auth/logout', undefined, mine());
      return [out.status, (await ask('GET', '/auth/me', undefined, mine())).status, (await refresh()).status];`);
    expect(found).toEqual([200, 401, 401]);
  });
});
