/**
 * The superadmin's pages of the console in Debian's Chromium, on a real node: what happened, with the proof that the browser checks; and what it says of a proof that was changed on the way.
 */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { CONTROL_PLANE } from '#actors/protocol/position.ts';
import { verifierKey } from '#storage/segment/note.ts';
import { hasChromium } from '#test/kit/chromium.ts';
import { CONSOLE_MS_MAX, ConsoleNode } from '#test/kit/console-node.ts';
import type { ConsolePage } from '#test/kit/console-page.ts';
import { WITNESS_NAME, WitnessProcess } from '#test/kit/witness-process.ts';
import type { TestNode } from '#test/kit/test-node.ts';

const LONG = 240_000;
const SOON = { timeout: 60_000, interval: 100 };
const LOG = `tenant/${CONTROL_PLANE.replaceAll(':', '/')}`;
/** Between the page and the node: `window.bend` changes an answer whose address holds `window.bends`. */
const BETWEEN = `
  const ask = window.fetch;
  window.fetch = async (...request) => {
    const answer = await ask(...request);
    if (!window.bend || !answer.url.includes(window.bends)) return answer;
    return new Response(JSON.stringify(window.bend(await answer.json())), answer);
  };`;
const ADMIN = 'boss@example.org';
const READER = 'reader@example.org';

/** A key that no log of the node has: a witness names one log at least. */
const OTHER = verifierKey({ name: 'other.example/log', publicKey: randomBytes(32) });

describe.skipIf(!hasChromium)('the superadmin in a browser', () => {
  let console: ConsoleNode;
  let it: TestNode;
  let page: ConsolePage;
  let witness: WitnessProcess;
  let dir: string;

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'skep-witness-'));
    witness = await WitnessProcess.start(dir, [OTHER]);
    const sync = `{ log_pattern: '${LOG}', cadence: 1s, targets: [{ kind: fs, path: ${dir}/copy }], anchor: { url: '${witness.url}', key: '${witness.key}' } }`;
    console = await ConsoleNode.start({ before: BETWEEN, extra: `audit:\n  enabled: true\n  sync: [${sync}]\n` });
    ({ it, page } = console);
    await console.ensureOperator();
    // The witness learns of the log when it is there, and has signed it before a page looks.
    const log = async (part = '') => it.call('GET', `/audit/logs/${encodeURIComponent(LOG)}${part}`, await bearer());
    await vi.waitFor(async () => expect((await log()).status).toBe(200), SOON);
    witness = await witness.again([OTHER, ((await log()).json as { verifier_key: string }).verifier_key]);
    await vi.waitFor(async () => expect((await log('/cosigned')).status).toBe(200), SOON);
  }, CONSOLE_MS_MAX);
  afterAll(async () => {
    await console?.stop();
    await witness?.kill();
    rmSync(dir, { recursive: true, force: true });
  });

  const verdict = (kind: string, fault?: string) =>
    page.has('(({ verdict, fault }) => [verdict, fault])(document.querySelector("[data-verdict]")?.dataset ?? {})', [
      kind,
      fault ?? null,
    ]);
  async function bearer(): Promise<Record<string, string>> {
    const logged = await it.call('POST', '/auth/login', it.position(CONTROL_PLANE), console.operator());
    return { Authorization: `Bearer ${(logged.json as { access_token: string }).access_token}` };
  }
  /** Waits until the log of the control plane has a record of this action: it comes a moment after its answer. */
  async function recorded(action: string): Promise<void> {
    const headers = await bearer();
    const path = `/audit/logs/${encodeURIComponent(LOG)}/records?action=${action}`;
    const found = async () => ((await it.call('GET', path, headers)).json as { records: unknown[] }).records.length;
    await expect.poll(found, { timeout: 60_000, interval: 50 }).toBeGreaterThan(0);
  }
  const bend = (script: string) =>
    page.page.run(`window.bends = '/proof/inclusion'; window.bend = ${script === '' ? 'null' : script};`);

  describe('audit', () => {
    test('a log is opened, searched and followed by its address', { timeout: LONG }, async () => {
      await console.enterPlane();
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

    test(
      'the log says who has signed it and when, its copy and the scrubber, in both languages',
      { timeout: LONG },
      async () => {
        await page.shows(`Signed by: ${WITNESS_NAME} (`);
        await page.has(`/Copies: 1; at most .+ behind/.test(document.body.innerText)`, true);
        await page.has(`/Witnesses: 1; at most .+ behind/.test(document.body.innerText)`, true);
        await page.has(`/Signed up to a record of: [0-9]/.test(document.body.innerText)`, true);
        await page.has(`/Scrubber: (no round has ended yet|its last round)/.test(document.body.innerText)`, true);
        await page.isSound('audit-log');
        page.isQuiet();
        await page.speak('Deutsch');
        await page.shows(`Unterschrieben von: ${WITNESS_NAME} (`);
        await page.isSound('audit-german');
        await page.speak('English');
      },
    );

    test(
      'an administrator of a tenant sees its own log, proves a record, and saves all that fit',
      { timeout: LONG },
      async () => {
        await console.ensure(ADMIN, ['tenant_admin']);
        await console.open('/data', ADMIN);
        const logged = async () =>
          (await it.call('POST', '/auth/login', it.position(), console.credentials(ADMIN))).status;
        for (let times = 0; times < 120; times++) expect(await logged()).toBe(200);
        await page.click('Audit');
        await page.shows('auth.login.after');
        expect(await page.text()).not.toContain('auth.node_health.after');
        await page.shows('Witnesses: none; with one');
        await page.shows('Copies: none');
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
      await console.ensure(READER, []);
      await console.open('/audit', READER);
      await page.shows('told to the tenant’s administrators and to auditors');
      page.isQuiet('403');
    });
  });
});
