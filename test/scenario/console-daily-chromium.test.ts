/** What people of a tenant meet at the console from day to day, in Debian's Chromium on a real node: a passkey in place of a password, and as its second step; rows that change while they are looked at. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium } from '#test/kit/chromium.ts';
import { CONSOLE_MS_MAX, ConsoleNode } from '#test/kit/console-node.ts';
import type { ConsolePage } from '#test/kit/console-page.ts';
import { freePortBase } from '#test/kit/free-port.ts';

const LONG = 240_000;
const BOSS = 'boss@example.org';
/** Without a passkey. */
const EVA = 'eva@example.org';
const ALL = ['create', 'read', 'update', 'delete'].map((one) => `${one}: { language: cel, rule: "true" }`).join(', ');

describe.skipIf(!hasChromium)('the day of a tenant’s people in a browser', () => {
  let console: ConsoleNode;
  let page: ConsolePage;

  beforeAll(async () => {
    const port = await freePortBase();
    const passkeys = { rp_id: 'localhost', rp_name: 'Shop', origins: [`http://localhost:${port}`] };
    console = await ConsoleNode.start({
      port,
      files: {
        'product.yaml': `name: shop\npasskeys: ${JSON.stringify(passkeys)}\n`,
        'entities/ticket.yaml': `entities:\n  ticket:\n    changes: true\n    fields: { subject: { type: string, required: true }, priority: { type: integer } }\n    access: { ${ALL} }\n`,
      },
    });
    ({ page } = console);
    for (const person of [BOSS, EVA]) await console.ensure(person, ['tenant_admin']);
    await page.page.addAuthenticator();
  }, CONSOLE_MS_MAX);
  afterAll(() => console?.stop());

  /** A passkey belongs to a name, which an address in figures has not. */
  const named = (path: string): string => console.at(path).replace('127.0.0.1', 'localhost');
  const post = async (path: string, headers: Record<string, string>, body: object = {}) => {
    const { status, json, text } = await console.it.call('POST', path, { ...console.it.position(), ...headers }, body);
    expect(status, text).toBeLessThan(300);
    return json as Record<string, never>;
  };

  describe('a passkey', () => {
    let mine: Record<string, string>;
    /** Shows once more that the person is there, whom such a change is about. */
    const proven = async (): Promise<Record<string, string>> => {
      const { proof } = await post('/auth/proof', mine, { password: console.credentials(BOSS).password });
      return { ...mine, 'X-Skep-Proof': String(proof) };
    };

    test('logs its person in without a name', { timeout: LONG }, async () => {
      const { access_token: token } = await post('/auth/login', {}, console.credentials(BOSS));
      mine = { Authorization: `Bearer ${String(token)}` };
      await page.page.goto(named('/data'));
      const { publicKey } = await post('/auth/webauthn/register/begin', await proven());
      const credential = await page.page.run(`
        const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(${JSON.stringify(publicKey)});
        return (await navigator.credentials.create({ publicKey })).toJSON();`);
      await post('/auth/webauthn/register/finish', mine, { credential: credential as object, name: 'Chromium' });
      await page.isSound('log-in-passkey');
      await page.click('Log in with a passkey');
      await page.shows('Entities');
      page.isQuiet();
    });

    test('ends a log in by password where its person wants that', { timeout: LONG }, async () => {
      const headers = { ...console.it.position(), ...(await proven()) };
      const { json } = await console.it.call('GET', '/auth/webauthn/credentials', headers);
      const [{ id }] = (json as { credentials: [{ id: string }] }).credentials;
      const path = `/auth/webauthn/credentials/${id}`;
      expect((await console.it.call('PATCH', path, headers, { second_factor: true })).status).toBe(200);
      await page.blank();
      await page.page.goto(named('/data'));
      await console.logIn(BOSS);
      await page.shows('This account asks for its passkey, too.');
      await page.isSound('log-in-passkey-step');
      await page.click('Go on with the passkey');
      await page.shows('Entities');
      page.isQuiet('401');
    });

    test('does not count at another address, and the page says so in German, too', { timeout: LONG }, async () => {
      await page.page.goto(console.at('/data'));
      await page.click('Log in with a passkey');
      await page.shows('on your own machine at localhost');
      await page.isSound('log-in-passkey-elsewhere');
      await page.page.run('localStorage.setItem("skep console language", "de")');
      await page.blank();
      await page.page.goto(console.at('/data'));
      await page.click('Mit einem Passkey anmelden');
      await page.shows('auf dem eigenen Rechner unter localhost');
      await page.isSound('log-in-passkey-german');
      await page.page.run('localStorage.removeItem("skep console language")');
      page.isQuiet();
    });
  });

  describe('rows that change while they are looked at', () => {
    const ids: string[] = [];
    const write = async (method: string, path: string, fields?: object): Promise<string> => {
      const { status, text, json } = await console.it.call(
        method,
        `/data/rest/ticket${path}`,
        await console.it.service(),
        fields,
      );
      expect(status, text).toBeLessThan(300);
      return (json as { data: { id: string }[] }).data[0]?.id ?? '';
    };
    /** The texts of the rows, in their order. */
    const rows = (value: readonly string[]) =>
      page.has(
        `[...document.querySelectorAll('.grid-row')].toSorted((a, b) => a.getAttribute('aria-rowindex') - b.getAttribute('aria-rowindex')).map((row) => [1, 2].map((at) => row.children[at].innerText).join(' '))`,
        value,
      );
    const edit = (row: number) =>
      page.page.run(
        `document.querySelector('.grid-row[aria-rowindex="${row + 1}"]').children[1].dispatchEvent(new MouseEvent('dblclick', { bubbles: true }))`,
      );

    test('a row changes in its place; one that comes waits until its reader wants it', { timeout: LONG }, async () => {
      ids.push(await write('POST', '', { subject: 'No sound', priority: 1 }));
      ids.push(await write('POST', '', { subject: 'No light', priority: 2 }));
      await console.open('/data/ticket?orderby=priority', EVA);
      await rows(['No sound 1', 'No light 2']);
      await page.shows('live');
      await write('PATCH', `/id/${ids[0]}`, { subject: 'No sound at all' });
      await rows(['No sound at all 1', 'No light 2']);
      ids.push(await write('POST', '', { subject: 'No heat', priority: 3 }));
      await page.shows('1 came or went: show');
      await rows(['No sound at all 1', 'No light 2']);
      await page.isSound('live');
      await page.click('1 came or went: show');
      await rows(['No sound at all 1', 'No light 2', 'No heat 3']);
      await write('DELETE', `/id/${ids[2]}`);
      await page.shows('1 came or went: show');
      await page.click('1 came or went: show');
      await rows(['No sound at all 1', 'No light 2']);
      page.isQuiet();
    });

    test('a cell that is being edited stays, and a newer value is offered', { timeout: LONG }, async () => {
      await edit(1);
      await page.has('document.querySelector(".cell-editor input") !== null', true);
      await write('PATCH', `/id/${ids[0]}`, { subject: 'Hum' });
      // What is told behind it has come, so that it has come, too.
      await write('PATCH', `/id/${ids[1]}`, { subject: 'Dark' });
      await page.has('document.querySelector(".grid-row[aria-rowindex=\'3\']").children[1].innerText', 'Dark');
      await page.page.run(`
        const field = document.querySelector('.cell-editor input');
        Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, 'Noise');
        field.dispatchEvent(new Event('input', { bubbles: true }));
        field.focus();`);
      await page.press('Enter');
      await page.shows('Somebody else has changed this to “Hum” meanwhile.');
      await page.click('Keep mine');
      await rows(['Noise 1', 'Dark 2']);
      await edit(1);
      await page.has('document.querySelector(".cell-editor input") !== null', true);
      await write('PATCH', `/id/${ids[0]}`, { subject: 'Quiet' });
      await write('PATCH', `/id/${ids[1]}`, { subject: 'Light' });
      await page.has('document.querySelector(".grid-row[aria-rowindex=\'3\']").children[1].innerText', 'Light');
      await page.press('Escape');
      await rows(['Quiet 1', 'Light 2']);
      page.isQuiet();
    });

    test('rows of a filter come and go as their values do', { timeout: LONG }, async () => {
      await console.open('/data/ticket?priority[gte]=2&orderby=priority', EVA);
      await rows(['Light 2']);
      await page.shows('live');
      await write('PATCH', `/id/${ids[0]}`, { priority: 9 });
      await page.shows('1 came or went: show');
      await page.click('1 came or went: show');
      await rows(['Light 2', 'Quiet 9']);
      await write('PATCH', `/id/${ids[1]}`, { priority: 1 });
      await page.shows('1 came or went: show');
      await page.speak('Deutsch');
      await page.shows('1 kamen oder gingen: zeigen');
      await page.isSound('live-german');
      await page.speak('English');
      page.isQuiet();
    });
  });
});
