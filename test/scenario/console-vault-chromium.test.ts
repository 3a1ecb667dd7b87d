/**
 * The page of the vault, certificates and signing keys of the console in Debian's Chromium, on real nodes: one with a vault, whose state a shell learns by the page's line; and one without anything
 * of that, which teaches how it is had.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CONTROL_PLANE } from '#actors/protocol/position.ts';
import { openControl } from '#runtime/control.ts';
import { hasChromium } from '#test/kit/chromium.ts';
import { buildConsole } from '#test/kit/console-build.ts';
import { ConsolePage } from '#test/kit/console-page.ts';
import { freePortBase } from '#test/kit/free-port.ts';
import { runLine } from '#test/kit/page-shell.ts';
import { startTestNode } from '#test/kit/test-node.ts';
import type { TestNode } from '#test/kit/test-node.ts';

const LONG = 240_000;
const BUILD_MS_MAX = 900_000;
const OPERATOR = { login: 'root@example.org', password: 'a long enough password' };
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
  let it: TestNode;
  let plain: TestNode;
  let page: ConsolePage;
  let closeControl: () => Promise<void>;

  beforeAll(async () => {
    buildConsole();
    const listeners = '  console: { bind: 127.0.0.1:0 }\n';
    const vault = `vault: { enabled: true, profile: development, port: ${(await freePortBase()) + 7} }\n`;
    it = await startTestNode({ listeners, extra: `audit: { enabled: true }\n${vault}` });
    closeControl = await openControl(it.platform.storage.dir, it.node);
    plain = await startTestNode({ listeners });
    for (const { node } of [it, plain])
      await node.ask(CONTROL_PLANE, 'identity', 'user.ensure', { ...OPERATOR, roles: ['superadmin'] });
    page = await ConsolePage.open(BETWEEN);
  }, BUILD_MS_MAX);
  afterAll(async () => {
    await page?.close();
    await closeControl?.();
    await it?.stop();
    await plain?.stop();
  });

  async function open(node: TestNode, search = ''): Promise<void> {
    await page.visit(`${node.node.listeners['console']!}/console/vault${search}`, OPERATOR.login, OPERATOR.password);
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
      expect(await runLine(await page.lineOf('Is it sealed?'))).toContain('"sealed":false');
      expect(await runLine(await page.lineOf('List them'))).toContain('signs');
      await runLine(await page.lineOf('Rotate them'));
      await expect
        .poll(
          async () => {
            await open(it);
            await page.has('document.querySelectorAll("dl").length', 2);
            return page.text();
          },
          { timeout: 60_000, interval: 500 },
        )
        .not.toContain('Not rotated since');
      page.isQuiet();
    },
  );

  test('certificates that end soon, or have ended, stand first', { timeout: LONG }, async () => {
    await open(it, '?certified');
    await page.has('[...document.querySelectorAll("tbody [data-state]")].map((one) => one.dataset.state)', [
      'over',
      'soon',
      'well',
    ]);
    await page.isSound('vault-certificates');
    await page.speak('Deutsch');
    await page.shows('Tresor und Schlüssel');
    await page.isSound('vault-german');
    page.isQuiet();
  });
});
