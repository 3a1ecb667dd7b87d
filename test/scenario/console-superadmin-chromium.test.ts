/**
 * The superadmin's pages of the console in Debian's Chromium, on a real node: what happened, with the proof that the browser checks; and what it says of a proof that was changed on the way.
 */
import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CONTROL_PLANE } from '#actors/protocol/position.ts';
import { hasChromium } from '#test/kit/chromium.ts';
import { buildConsole } from '#test/kit/console-build.ts';
import { ConsolePage } from '#test/kit/console-page.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { startTestNode } from '#test/kit/test-node.ts';
import type { TestNode } from '#test/kit/test-node.ts';

const LONG = 240_000;
const BUILD_MS_MAX = 900_000;
const OPERATOR = { login: 'root@example.org', password: 'a long enough password' };
const LOG = `tenant/${CONTROL_PLANE.replaceAll(':', '/')}`;
/** Between the page and the node: `window.bend` changes an answer whose address holds `window.bends`. */
const BETWEEN = `
  const ask = window.fetch;
  window.fetch = async (...request) => {
    const answer = await ask(...request);
    if (!window.bend || !answer.url.includes(window.bends)) return answer;
    return new Response(JSON.stringify(window.bend(await answer.json())), answer);
  };`;
const ADMIN = { email: 'boss@example.org', password: 'correct horse battery' };
const READER = { email: 'reader@example.org', password: 'correct horse battery' };

describe.skipIf(!hasChromium)('the superadmin in a browser', () => {
  let it: TestNode;
  let page: ConsolePage;
  beforeAll(async () => {
    buildConsole();
    it = await startTestNode({ listeners: '  console: { bind: 127.0.0.1:0 }\n', extra: 'audit: { enabled: true }' });
    await it.node.ask(CONTROL_PLANE, 'identity', 'user.ensure', { ...OPERATOR, roles: ['superadmin'] });
    page = await ConsolePage.open(BETWEEN);
  }, BUILD_MS_MAX);
  afterAll(async () => {
    await page?.close();
    await it?.stop();
  });

  const verdict = (kind: string, fault?: string) =>
    page.has('(({ verdict, fault }) => [verdict, fault])(document.querySelector("[data-verdict]")?.dataset ?? {})', [
      kind,
      fault ?? null,
    ]);
  /** Waits until the log of the control plane has a record of this action: it comes a moment after its answer. */
  async function recorded(action: string): Promise<void> {
    const place = it.position(CONTROL_PLANE);
    const logged = await it.call('POST', '/auth/login', place, OPERATOR);
    const headers = { Authorization: `Bearer ${(logged.json as { access_token: string }).access_token}` };
    const path = `/audit/logs/${encodeURIComponent(LOG)}/records?action=${action}`;
    const found = async () => ((await it.call('GET', path, headers)).json as { records: unknown[] }).records.length;
    await expect.poll(found, { timeout: 60_000, interval: 50 }).toBeGreaterThan(0);
  }
  const bend = (script: string) =>
    page.page.run(`window.bends = '/proof/inclusion'; window.bend = ${script === '' ? 'null' : script};`);

  describe('audit', () => {
    test('a log is opened, searched and followed by its address', { timeout: LONG }, async () => {
      await page.page.goto(it.node.consoleLink({ [CONTROL_PLANE]: OPERATOR })!);
      await recorded('auth.node_load.after');
      await page.click('Audit');
      await page.shows('auth.node_health.after');
      await page.isSound('audit');
      await page.type('Action', 'auth.login*');
      await page.click('Search');
      await page.has('new URL(location.href).searchParams.get("action")', 'auth.login*');
      await page.has(
        '[...document.querySelectorAll("tbody a")].every((one) => one.innerText.startsWith("auth.login"))',
        true,
      );
      await page.type('Action', 'nothing.*');
      await page.click('Search');
      await page.shows('No record that was read fits.');
      await page.click('Clear');
      await page.shows('auth.node_health.after');
      page.isQuiet();
    });

    test('a record is proven in the browser, in a worker', { timeout: LONG }, async () => {
      await page.click('auth.login.after');
      await page.has('new URL(location.href).searchParams.get("record") !== null', true);
      await page.shows('The key comes from the same server as the proof.');
      await page.click('Prove it');
      await verdict('good');
      expect(page.page.fetched.filter((url) => /\/assets\/verify\.worker-[\w-]+\.js$/.test(url))).not.toEqual([]);
      await page.isSound('audit-proof');
      page.isQuiet();
    });

    test(
      'a proof that was changed on the way is refused, and the page says what does not hold',
      { timeout: LONG },
      async () => {
        for (const [change, fault] of [
          [
            '(proof) => ({ ...proof, entry: proof.entry.replace("root@", "someone@").replace(/"outcome":"[a-z]+"/, \'"outcome":"denied"\') })',
            'path',
          ],
          [
            '(proof) => ({ ...proof, checkpoint: proof.checkpoint.replace(/\\n(\\d+)\\n/, (_, size) => `\\n${Number(size) + 1}\\n`) })',
            'signature',
          ],
          ['(proof) => ({ ...proof, proof: [...proof.proof, proof.proof[0]] })', 'path'],
          ['() => ({})', 'shape'],
        ] as const) {
          await bend(change);
          await page.click('Prove it');
          await verdict('bad', fault);
        }
        await page.shows('The proof does not hold');
        await page.isSound('audit-tampered');
        await bend('');
        await page.click('Prove it');
        await verdict('good');
      },
    );

    test('a key from elsewhere decides, in place of the one that the server shows', { timeout: LONG }, async () => {
      const other = generateKeyPairSync('ed25519').publicKey.export({ format: 'pem', type: 'spki' }).toString();
      await page.click('Use a key from elsewhere');
      await page.type('Public key of the log', other);
      await page.shows('Checked with the key that you pasted');
      await page.click('Prove it');
      await verdict('bad', 'signature');
      await page.type('Public key of the log', 'no key');
      await page.shows('this is no Ed25519 key');
      await page.click('Prove it');
      await verdict('bad', 'key');
      page.isQuiet();
    });

    test('a list that shows another record than the log has is found out', { timeout: LONG }, async () => {
      await page.click('Close');
      await page.page.run(
        `window.bends = '/records'; window.bend = (page) => ({ ...page, records: page.records.map((one) => ({ ...one, actor: 'mallory' })) });`,
      );
      await page.click('auth.node_load.after');
      await page.shows('mallory');
      await page.type('Public key of the log', '');
      await page.click('Prove it');
      await verdict('bad', 'record');
      await bend('');
      await page.click('Close');
      page.isQuiet();
    });

    test('the log says whether a witness has signed it, and speaks German', { timeout: LONG }, async () => {
      await page.click('Look for a witness');
      await page.shows('No witness has signed this log.');
      page.isQuiet('404');
      await page.speak('Deutsch');
      await page.shows('Kein Zeuge hat dieses Log unterschrieben.');
      await page.isSound('audit-german');
      await page.speak('English');
      await page.shows('No witness has signed this log.');
    });

    test(
      'an administrator of a tenant sees its own log, proves a record, and saves all that fit',
      { timeout: LONG },
      async () => {
        await it.node.ask(TENANT, 'identity', 'person.ensure', { ...ADMIN, roles: ['tenant_admin'] });
        const where = `${it.node.listeners['console']!}/console/at/${TENANT.replaceAll(':', '/')}`;
        await page.visit(`${where}/data`, ADMIN.email, ADMIN.password);
        const logged = async () =>
          (await it.call('POST', '/auth/login', it.position(), { login: ADMIN.email, password: ADMIN.password }))
            .status;
        for (let times = 0; times < 120; times++) expect(await logged()).toBe(200);
        await page.click('Audit');
        await page.shows('auth.login.after');
        expect(await page.text()).not.toContain('auth.node_health.after');
        await page.isSound('audit-tenant');
        await page.click('auth.login.after');
        await page.click('Prove it');
        await verdict('good');
        await page.click('Close');
        await page.type('Action', 'auth.login.after');
        await page.click('Search');
        await page.has('new URL(location.href).searchParams.get("action")', 'auth.login.after');
        await page.click('Clear');
        await page.page.run(
          'const make = URL.createObjectURL; URL.createObjectURL = (blob) => { window.saved = blob.text(); return make.call(URL, blob); };',
        );
        await page.click('Save all that fit');
        await page.has('/[0-9]+ saved\\./.test(document.body.innerText)', true);
        const lines = String(await page.page.run('return await window.saved'))
          .trimEnd()
          .split('\n');
        const numbers = lines.map((line) => (JSON.parse(line) as { seq: number }).seq);
        expect(numbers.length).toBeGreaterThan(120);
        expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, at) => numbers.length - 1 - at));
        page.isQuiet();
      },
    );

    test('a person who administers nothing is told who reads the log', { timeout: LONG }, async () => {
      await it.node.ask(TENANT, 'identity', 'person.ensure', { ...READER, roles: [] });
      await page.visit(
        `${it.node.listeners['console']!}/console/at/${TENANT.replaceAll(':', '/')}/audit`,
        READER.email,
        READER.password,
      );
      await page.shows('told to the tenant’s administrators and to auditors');
      page.isQuiet('403');
    });
  });
});
