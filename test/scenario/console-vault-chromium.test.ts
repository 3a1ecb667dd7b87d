/**
 * The page of the vault, certificates and signing keys of the console in Debian's Chromium, on real nodes: one with a vault, whose state page and shell say alike; one whose vault is sealed with shares;
 * and one without anything of that, which teaches how it is had. What the page is told holds no share and no token.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CONTROL_PLANE } from '#actors/protocol/position.ts';
import { hasChromium } from '#test/kit/chromium.ts';
import { CONSOLE_MS_MAX, ConsoleNode } from '#test/kit/console-node.ts';
import type { ConsolePage } from '#test/kit/console-page.ts';
import { freePortBase } from '#test/kit/free-port.ts';
import { runLine } from '#test/kit/page-shell.ts';
import { call, positionHeaders, startTestNode, type TestNode } from '#test/kit/test-node.ts';

const LONG = 240_000;
/** Between the page and the node, which has no authority to order from: what its log would say of certificates. */
const BETWEEN = `
  const ask = window.fetch;
  const day = 86400000;
  const isCertified = location.search.includes('certified');
  window.fetch = async (...request) => {
    const answer = await ask(...request);
    if (!isCertified || !answer.url.includes('platform.certificate.issue')) return answer;
    const record = (seq, target, days) => ({ id: 'c' + seq, seq, ts: new Date(Date.now() - seq * day).toISOString(), tenant: '', source: 'platform', source_seq: seq, actor: 'internal', action: 'platform.certificate.issue', target, outcome: 'ok', request_id: '', data: { until: new Date(Date.now() + days * day).toISOString() } });
    const page = await answer.json();
    return new Response(JSON.stringify({ ...page, records: [record(0, 'help.example.org', -1), record(1, 'shop.example.org', 9), record(2, 'www.example.org', 80)] }), answer);
  };`;

describe.skipIf(!hasChromium)('the vault in a browser', () => {
  let console: ConsoleNode;
  let it: TestNode;
  let plain: TestNode;
  let shared: TestNode;
  let page: ConsolePage;

  beforeAll(async () => {
    const vault = (more = '') =>
      freePortBase().then((base) => `vault: { enabled: true, profile: development, port: ${base + 7}${more} }\n`);
    const extra = `audit: { enabled: true }\n${await vault()}`;
    console = await ConsoleNode.start({ before: BETWEEN, extra, isControlled: true });
    ({ it, page } = console);
    const listeners = '  console: { bind: 127.0.0.1:0 }\n';
    plain = await startTestNode({ listeners });
    shared = await startTestNode({ listeners, extra: await vault(', seal: { kind: shamir }') });
    await console.ensureOperator();
    for (const { node } of [plain, shared])
      await node.ask(CONTROL_PLANE, 'identity', 'user.ensure', { ...console.operator(), roles: ['superadmin'] });
  }, CONSOLE_MS_MAX);
  afterAll(async () => {
    await console?.stop();
    await plain?.stop();
    await shared?.stop();
  });

  /** Opens a page of a node anew, as its operator. */
  const visit = ({ node }: TestNode, path: string): Promise<void> =>
    page.visit(`${node.listeners['console']!}/console${path}`, console.operator().login, console.operator().password);

  async function open(node: TestNode, search = ''): Promise<void> {
    await visit(node, `/vault${search}`);
    await page.shows('Vault and keys');
  }

  test('a node without a vault teaches how one is had', { timeout: LONG }, async () => {
    await open(plain);
    await page.shows('not part of this node');
    await page.shows('A vault keeps secrets');
    await page.shows('This node keeps no audit log');
    await page.isSound('vault-none');
    page.isQuiet();
  });

  test(
    'a vault of the node is asked by the line of the page; keys are rotated by another',
    { timeout: LONG },
    async () => {
      await open(it);
      await page.shows('part of this node');
      await page.shows('The node has ordered no certificate.');
      await page.shows('nothing, which is for development alone');
      await page.shows('Not rotated since the log of the node began.');
      await page.isSound('vault');
      await page.shows('nothing seals it');
      await page.shows('No node has joined.');
      expect(await runLine(await page.lineOf('Is it sealed?'))).toContain('"sealed":false');
      expect(await runLine(await page.lineOf('List them'))).toContain('signs');
      await runLine(await page.lineOf('Rotate them'));
      await expect
        .poll(
          async () => {
            await open(it);
            await page.has('document.querySelectorAll("dl").length', 4);
            return page.text();
          },
          { timeout: 60_000, interval: 500 },
        )
        .not.toContain('Not rotated since');
      page.isQuiet();
    },
  );

  /** As an operator asks a vault for development, which takes callers of its machine. */
  async function ask<T>({ platform }: TestNode, path: string, body: unknown = {}): Promise<T> {
    const answer = await fetch(`http://127.0.0.1:${platform.vault.port}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(answer.status, path).toBeLessThan(300);
    return (await answer.json()) as T;
  }

  /** What the page's own route says. */
  async function told({ node }: TestNode): Promise<string> {
    const base = node.listeners['console']!;
    const at = positionHeaders(CONTROL_PLANE);
    const { json } = await call(base, 'POST', '/auth/login', at, console.operator());
    const bearer = { ...at, Authorization: `Bearer ${(json as { access_token: string }).access_token}` };
    return (await call(base, 'GET', '/superadmin/node/vault', bearer)).text;
  }

  test('join tokens by state and certificates that end are told, and no token', { timeout: LONG }, async () => {
    const { datacenter, cluster } = it.platform.vault;
    const wish = { scope: `dc=${datacenter},cluster=${cluster}`, ttl: '1h', uses: 1 };
    const { token, id } = await ask<{ token: string; id: string }>(it, '/join-token', wish);
    await ask(it, '/certificate/internal', { common_name: 'billing', ttl: '24h' });
    await ask(it, '/certificate/internal', { common_name: 'archive', ttl: '2000h' });
    const text = await told(it);
    expect(JSON.parse(text)).toMatchObject({
      vault: {
        failed: null,
        state: {
          seal: { sealed: false, kind: 'none' },
          papers: { join_tokens: { open: 1, spent: 0, expired: 0 }, ending: [{ kind: 'service', name: 'billing' }] },
        },
      },
    });
    for (const secret of [token, token.slice(-20), id]) expect(text).not.toContain(secret);
    await open(it);
    await page.shows('billing');
    expect(await page.text()).not.toContain('archive');
    await page.isSound('vault-papers');
    page.isQuiet();
  });

  test(
    'the first page of operators says how many end soon, and a node without a vault nothing',
    { timeout: LONG },
    async () => {
      const home = async (node: TestNode): Promise<void> => {
        const asked = page.page.fetched.length;
        await visit(node, '/operations');
        await page.has('document.querySelector("#verdict")?.innerText.length > 0', true);
        await expect
          .poll(() => page.page.fetched.slice(asked).some((url) => url.endsWith('/superadmin/node/vault')))
          .toBe(true);
      };
      await home(plain);
      expect(await page.text()).not.toContain('of the vault');
      await home(it);
      await page.shows('1 certificate of the vault ends within 30 days: billing');
      await page.isSound('home-ending');
      await page.speak('Deutsch');
      await page.shows('1 Zertifikat des Tresors endet innerhalb von 30 Tagen: billing');
      await page.isSound('home-ending-german');
      await page.speak('English');
      await page.page.run(
        `[...document.querySelectorAll('#page a')].find((one) => one.innerText === 'Vault and keys').click()`,
      );
      await page.has('location.pathname', '/console/vault');
      page.isQuiet();
    },
  );

  test('a seal by shares: none made, all given, one given', { timeout: LONG }, async () => {
    await open(shared);
    await page.shows('none were made yet');
    expect(await page.lineOf('Make the shares; they are shown once')).toContain(
      'skep vault init --url http://127.0.0.1:',
    );
    const { shares } = await ask<{ shares: string[] }>(shared, '/seal/init', { shares: 5, threshold: 3 });
    await page.shows('3 of 5 open it');
    await page.lineOf('Seal it');
    await ask(shared, '/seal');
    await ask(shared, '/seal/unseal', { share: shares[0] });
    await page.shows('1 of 3');
    await page.shows('the vault is sealed');
    expect(await page.lineOf('Give a share')).toContain('skep vault unseal');
    const text = await told(shared);
    expect(JSON.parse(text)).toMatchObject({
      vault: { state: { ready: false, seal: { sealed: true, threshold: 3, shares: 5, progress: 1 }, papers: null } },
    });
    for (const share of shares) expect(text).not.toContain(share);
    await page.isSound('vault-sealed');
    page.isQuiet();
  });

  test('certificates that end soon, or have ended, stand first', { timeout: LONG }, async () => {
    await open(it, '?certified');
    await page.has(
      '[...document.querySelectorAll("section")].filter((one) => one.querySelector("h2").textContent === "Certificates of the node’s names").flatMap((one) => [...one.querySelectorAll("tbody [data-state]")]).map((one) => one.dataset.state)',
      ['over', 'soon', 'well'],
    );
    await page.isSound('vault-certificates');
    await page.speak('Deutsch');
    await page.shows('Tresor und Schlüssel');
    await page.isSound('vault-german');
    page.isQuiet();
  });
});
