/** Passkeys in Debian's Chromium with a virtual authenticator (WebAuthn §11): the whole way of a page, with the browser's own JSON. */
import { appendFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium, Site } from '#test/kit/chromium.ts';
import { ChromiumPage } from '#test/kit/chromium-page.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { startTestNode, type TestNode } from '#test/kit/test-node.ts';

const ADA = { login: 'ada@example.org', password: 'correct horse battery' };

/** In the page: the snippets of docs/how-to/sign-in.md. */
const PAGE = `
const post = async (path, body, more = {}) => {
  const type = body === null ? {} : { 'Content-Type': 'application/json' };
  const headers = { ...at.position, ...type, ...more };
  const answer = await fetch(at.gateway + '/auth/' + path, { method: 'POST', headers, body: body && JSON.stringify(body) });
  return { status: answer.status, body: await answer.json() };
};
const create = async (publicKey) =>
  (await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(publicKey) })).toJSON();
const get = async (publicKey) =>
  (await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(publicKey) })).toJSON();
const bearer = ({ body }) => ({ Authorization: 'Bearer ' + body.access_token });
const proven = async (mine, body) => ({ ...mine, 'X-Skep-Proof': (await post('proof', body, mine)).body.proof });
`;

describe.skipIf(!hasChromium)('a page in Chromium', { timeout: 120_000 }, () => {
  let site: Site;
  let page: ChromiumPage;
  let it: TestNode;
  let checkout: string;
  beforeAll(async () => {
    site = await Site.open();
    checkout = mkdtempSync(join(tmpdir(), 'skep-shop-'));
    cpSync(fileURLToPath(new URL('../kit/products/shop/', import.meta.url)), checkout, { recursive: true });
    const passkeys = { rp_id: 'localhost', rp_name: 'Shop', origins: [site.origin('localhost')] };
    appendFileSync(join(checkout, 'product.yaml'), `passkeys: ${JSON.stringify(passkeys)}\n`);
    const origins = [site.origin('localhost'), site.origin('127.0.0.1')];
    it = await startTestNode({ localdir: checkout, cors: `{ shop: { origins: ${JSON.stringify(origins)} } }` });
    await it.node.ask(TENANT, 'identity', 'user.ensure', { ...ADA, roles: ['tenant_user'] });
    page = await ChromiumPage.open();
    await page.addAuthenticator();
    await page.goto(`${site.origin('localhost')}/empty`);
  }, 120_000);
  afterAll(async () => {
    await page.close();
    await it.stop();
    await site.close();
    rmSync(checkout, { recursive: true, force: true });
  });

  const run = (script: string): Promise<unknown> => {
    const at = { gateway: it.gateway, position: it.position(), ...ADA };
    return page.run(`const at = ${JSON.stringify(at)};${PAGE}${script}`);
  };

  test('registers, logs in without a name, and is refused the same passkey twice', async () => {
    const found = await run(`
      const mine = bearer(await post('login', { login: at.login, password: at.password }));
      const shown = await proven(mine, { password: at.password });
      const begun = await post('webauthn/register/begin', null, shown);
      const made = await post('webauthn/register/finish', { credential: await create(begun.body.publicKey), name: 'Chromium' }, mine);
      const again = await post('webauthn/register/begin', null, shown);
      const twice = await create(again.body.publicKey).then(() => 'made', (error) => error.name);
      const options = await post('webauthn/login/begin', null);
      const credential = await get(options.body.publicKey);
      const login = await post('webauthn/login/finish', { credential });
      const replay = await post('webauthn/login/finish', { credential });
      return { made: [made.status, made.body.name, made.body.device_type], twice, login: login.status, replay: [replay.status, replay.body.code] };`);
    expect(found).toEqual({
      made: [201, 'Chromium', 'singleDevice'],
      twice: 'InvalidStateError',
      login: 200,
      replay: [400, 'invalid_challenge'],
    });
  });

  test('ends a login by password whose second factor is the passkey', async () => {
    const found = await run(`
      const options = await post('webauthn/login/begin', null);
      const login = await post('webauthn/login/finish', { credential: await get(options.body.publicKey) });
      const asking = await post('proof/begin', null, bearer(login));
      const proof = { credential: await get(asking.body.publicKey) };
      const mine = { ...at.position, ...bearer(login) };
      const headers = { ...mine, ...(await proven(bearer(login), proof)) };
      const { credentials } = await (await fetch(at.gateway + '/auth/webauthn/credentials', { headers: mine })).json();
      const path = at.gateway + '/auth/webauthn/credentials/' + credentials[0].id;
      const set = await fetch(path, { method: 'PATCH', headers: { ...headers, 'Content-Type': 'application/json' }, body: JSON.stringify({ second_factor: true }) });
      const asked = await post('login', { login: at.login, password: at.password });
      const ended = await post('webauthn/login/finish', { credential: await get(asked.body.details.publicKey) });
      return [set.status, asked.status, asked.body.code, asked.body.details.methods, ended.status];`);
    expect(found).toEqual([200, 401, 'mfa_required', ['webauthn'], 200]);
  });

  test('of another site is not served: the browser refuses it the passkey', async () => {
    await page.goto(`${site.origin('127.0.0.1')}/empty`);
    const found = await run(`
      const options = await post('webauthn/login/begin', null);
      return get(options.body.publicKey).then(() => 'given', (error) => error.name);`);
    expect(found).toBe('SecurityError');
  });
});
