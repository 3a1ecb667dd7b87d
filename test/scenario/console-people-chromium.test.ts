/**
 * The pages of people of the console in Debian's Chromium, on a real node with a real mail server: an administrator without a shell finds a person, gives and takes roles, ends sessions,
 * takes the access and gives it back; invites a person who takes the link up.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROOT } from '#runtime/place.ts';
import { hasChromium } from '#test/kit/chromium.ts';
import { CONSOLE_MS_MAX, ConsoleNode } from '#test/kit/console-node.ts';
import type { ConsolePage } from '#test/kit/console-page.ts';
import { MailServer } from '#test/kit/mail-server.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { positionHeaders, type Answer, type TestNode } from '#test/kit/test-node.ts';
import { tokenIn } from '#test/kit/users.ts';

const LONG = 240_000;
const PASSWORD = 'correct horse battery';
const BOSS = 'boss@example.org';
const EVA = 'eva@example.org';
const NEW = 'new@example.org';
const PHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Safari/604.1';
const LAPTOP = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
/** More than a page of the list has. */
const CROWD = 55;

/** A tenant of a product without accounts. */
const PLAIN = 'acme:shop:dev:sleeping';

const PRODUCT = `accounts: { sign_up: invitation, roles: [], guests: { roles: [] } }
sessions: { mode: managed }
roles: { night_shift: sees all at night }
`;

const SHIFT = `entities:
  shift:
    fields: { day: { type: date }, note: { type: string, roles: { write: [night_shift] } } }
    grants: { night_shift: [read, create] }
    access: { delete: { language: cel, rule: "'night_shift' in principal.roles && row.note == ''" } }
`;

describe.skipIf(!hasChromium)('people in a browser', () => {
  let console: ConsoleNode;
  let mail: MailServer;
  let it: TestNode;
  let page: ConsolePage;
  let people: string;

  const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    it.call(method, path, { ...positionHeaders(TENANT), ...headers }, body);
  const login = (name: string, agent = LAPTOP) =>
    send('POST', '/auth/login', { login: name, password: PASSWORD }, { 'User-Agent': agent });
  const ensure = (email: string, more: object = {}) =>
    it.node.ask(TENANT, 'identity', 'person.ensure', { email, password: PASSWORD, roles: ['tenant_user'], ...more });

  beforeAll(async () => {
    mail = new MailServer();
    await mail.listen();
    const links = ['reset', 'magic_link', 'invitation'].map(
      (name) => `${name}: "https://shop.example/${name}#{token}"`,
    );
    const smtp = `{ host: 127.0.0.1, port: ${mail.port}, starttls: false, auth: none }`;
    console = await ConsoleNode.start({
      like: 'shop',
      files: {
        'product.yaml': readFileSync(`${ROOT}test/kit/products/shop/product.yaml`, 'utf8') + PRODUCT,
        'entities/shift.yaml': SHIFT,
      },
      extra: `identity: { mail: { smtp: ${smtp}, from: no-reply@shop.example, links: { ${links.join(', ')} } } }`,
    });
    ({ it, page } = console);
    people = console.at('/people');
    await ensure(BOSS, { roles: ['tenant_admin'], firstname: 'Barbara', lastname: 'Boss' });
    await it.node.provision(PLAIN);
    await console.ensure(BOSS, ['tenant_admin'], PLAIN);
  }, CONSOLE_MS_MAX);
  afterAll(async () => {
    await console?.stop();
    await mail?.close();
  });

  const shown = '[...document.querySelectorAll("tbody a")].map((one) => one.innerText)';
  const state = (value: string) =>
    page.has('document.querySelector("[role=dialog] [data-state]")?.dataset.state', value);
  const tick = (role: string) => page.page.run(`document.querySelector('input[value="${role}"]').click()`);
  const focused = (value: string) => page.has('document.activeElement?.innerText', value);

  test(
    'an administrator who is alone is told what to do; the address leads to the page',
    { timeout: LONG },
    async () => {
      await page.page.goto(people);
      await page.shows('Log in at acme / shop / dev / main');
      await page.logIn(BOSS, PASSWORD);
      await page.shows('You are alone here so far.');
      await page.has(shown, [BOSS]);
      await page.isSound('people-alone');
      page.isQuiet();
    },
  );

  test(
    'people are listed by pages, and found by the beginning of a name or an address',
    { timeout: LONG },
    async () => {
      await ensure(EVA, { firstname: 'Eva', lastname: 'Ek' });
      for (let i = 0; i < CROWD; i++) await ensure(`crowd-${i}@example.org`);
      expect((await send('POST', '/auth/guest')).status).toBe(200);
      await page.visit(people, BOSS, PASSWORD);
      await page.count('tbody tr', 50);
      await page.click('Look further');
      await page.count('tbody tr', CROWD + 3);
      await page.isSound('people');
      await page.type('Find a person', 'ek');
      await page.has('new URL(location.href).searchParams.get("q")', 'ek');
      await page.has(shown, [EVA]);
      await page.type('Find a person', 'no such person');
      await page.shows('No address and no name begins with “no such person”.');
      await page.isSound('people-none');
      await page.type('Find a person', '');
      await page.count('tbody tr', CROWD + 3);
      await page.type('Show', 'guests');
      await page.has('new URL(location.href).searchParams.get("show")', 'guests');
      await page.has(shown, ['guest']);
      await page.isSound('people-guests');
      page.isQuiet();
    },
  );

  test('one is opened by the keyboard at an address, and gets a role', { timeout: LONG }, async () => {
    await page.type('Show', '');
    await page.type('Find a person', 'eva');
    await page.has(shown, [EVA]);
    await page.page.run('document.querySelector("tbody a").focus()');
    await page.press('Enter');
    await state('active');
    await page.has('new URL(location.href).searchParams.get("user")?.length > 10', true);
    await focused(EVA);
    await page.shows('No session is open.');
    await page.isSound('person');
    await page.leave();
    await focused(EVA);
    await page.press('Enter');
    await state('active');
    await page.type('Another role', 'night_shif');
    await page.click('Add');
    await page.shows('Gives: night_shif.');
    await page.click('Change the roles');
    await page.shows('night_shift');
    await page.isSound('person-role-refused');
    page.isQuiet('400');
    await tick('night_shif');
    await page.type('Another role', 'night_shift');
    await page.click('Add');
    await tick('tenant_user');
    await page.shows('Gives: night_shift. Takes: tenant_user.');
    await page.isSound('person-roles');
    await page.click('Change the roles');
    await page.has('document.querySelector("#page tbody td:nth-child(3)").innerText', 'night_shift');
    await page.has(
      `[...document.querySelectorAll('[role=dialog] tbody tr')].map((row) => row.innerText.replaceAll(/\\s+/g, ' '))`,
      ['shift yes yes by a rule'],
    );
    await page.isSound('person-may');
    page.isQuiet();
  });

  test('a role of administrators is given by the typed address alone', { timeout: LONG }, async () => {
    await tick('tenant_admin');
    await page.shows('This changes who administers the tenant.');
    await page.takes('Change the roles', false);
    await page.typeName('boss@example.org');
    await page.takes('Change the roles', false);
    await page.typeName('Eva@Example.org');
    await page.takes('Change the roles', true);
    await page.isSound('person-administrator');
    await page.click('Change the roles');
    await page.has('document.querySelector("#page tbody td:nth-child(3)").innerText', 'night_shift, tenant_admin');
    await page.asksForName(false);
    page.isQuiet();
  });

  test('sessions are shown with their devices, one is ended, then all of them', { timeout: LONG }, async () => {
    const [laptop, phone] = [await login(EVA), await login(EVA, PHONE)];
    const second = await login(EVA);
    const alive = async ({ json }: Answer) => {
      const Authorization = `Bearer ${(json as { access_token: string }).access_token}`;
      return (await send('GET', '/auth/me', undefined, { Authorization })).status;
    };
    await page.leave();
    await page.press('Enter');
    await page.shows('Firefox · Linux (2)');
    await page.shows('Safari · iPhone (1)');
    await page.count('.session', 3);
    await page.isSound('person-sessions');
    await page.page.run(`document.querySelector('section[aria-label="Safari · iPhone"] button').click()`);
    await page.count('.session[data-ended=true]', 1);
    expect([await alive(laptop), await alive(phone)]).toEqual([200, 401]);
    await page.click('End all sessions …');
    await page.takes('End all sessions', false);
    await page.typeName(EVA);
    await page.isSound('person-end-all');
    await page.click('End all sessions');
    await page.count('.session[data-ended=true]', 3);
    expect([await alive(laptop), await alive(second), await alive(phone)]).toEqual([401, 401, 401]);
    page.isQuiet();
  });

  test('one is deactivated by the typed address, and activated again', { timeout: LONG }, async () => {
    await page.click('Deactivate …');
    await page.takes('Deactivate', false);
    await page.press('Escape');
    await page.asksForName(false);
    await focused('Deactivate …');
    await state('active');
    await page.click('Deactivate …');
    await page.typeName(EVA);
    await page.isSound('person-deactivate');
    await page.click('Deactivate');
    await state('disabled');
    expect((await login(EVA)).status).toBe(401);
    await page.isSound('person-deactivated');
    await page.click('Activate');
    await state('active');
    expect((await login(EVA)).status).toBe(200);
    page.isQuiet();
  });

  test('the last administrator stays one, and the page says why', { timeout: LONG }, async () => {
    await tick('tenant_admin');
    await page.typeName(EVA);
    await page.click('Change the roles');
    await page.has('document.querySelector("#page tbody td:nth-child(3)").innerText', 'night_shift');
    await page.asksForName(false);
    await page.leave();
    await page.type('Find a person', 'boss');
    await page.has(shown, [BOSS]);
    await page.click(BOSS);
    await state('active');
    await page.click('Deactivate …');
    await page.typeName(BOSS);
    await page.click('Deactivate');
    await page.shows('last_administrator');
    await page.isSound('person-last');
    page.isQuiet('409');
    await page.visit(`${people}?user=unknown`, BOSS, PASSWORD);
    await page.shows('The tenant has no person with this id.');
    page.isQuiet('404');
    await page.leave();
  });

  test('the own sheet names the session of its page, which stays when all others end', { timeout: LONG }, async () => {
    await login(BOSS, PHONE);
    await page.visit(`${people}?q=boss`, BOSS, PASSWORD);
    await page.click(BOSS);
    await page.shows('this page');
    await page.isSound('person-own');
    await page.page.run(`
      [...document.querySelectorAll('[role=dialog] button')].find((one) => one.innerText.startsWith('End all others')).click();`);
    await page.count('.session[data-ended=false]', 1);
    await page.count('.session[data-ended=false] button', 0);
    expect(await page.page.run('return document.querySelector(".session[data-ended=false]").innerText')).toContain(
      'this page',
    );
    await page.leave();
    await page.click('Roles');
    await page.shows('sees all at night');
    await page.click('Everyone');
    page.isQuiet();
  });

  test(
    'a person is invited, takes the link up and is in the list; another invitation is withdrawn',
    { timeout: LONG },
    async () => {
      await page.click('Invitations');
      await page.has('location.pathname.endsWith("/people/invitations")', true);
      await page.shows('No invitation is open.');
      await page.isSound('invitations-none');
      await page.type('Mail address', EVA);
      await page.click('Send the invitation');
      await page.shows('login_taken');
      page.isQuiet('409');
      await page.type('Mail address', NEW);
      await tick('tenant_user');
      await page.type('Another role', 'night_shift');
      await page.click('Add');
      await page.click('Send the invitation');
      await page.shows(`${NEW} is invited.`);
      await page.count('tbody tr', 1);
      await page.type('Mail address', 'late@example.org');
      await page.click('Send the invitation');
      await page.count('tbody tr', 2);
      await page.isSound('invitations');
      await page.click('Withdraw: late@example.org');
      await page.count('tbody tr', 1);
      await mail.until(() => mail.received.filter(({ to }) => to.includes(NEW)).length === 1);
      const { text } = mail.received.find(({ to }) => to.includes(NEW))!;
      const confirmed = await send('POST', '/auth/sign-up/confirm', { token: tokenIn(text), password: PASSWORD });
      expect(confirmed.status, confirmed.text).toBe(200);
      await page.click('Everyone');
      await page.type('Find a person', NEW);
      await page.has(shown, [NEW]);
      await page.has('document.querySelector("#page tbody td:nth-child(3)").innerText', 'night_shift');
      page.isQuiet();
    },
  );

  test('each role with what the product gives it, and those who have it', { timeout: LONG }, async () => {
    await page.click('Roles');
    await page.has('location.pathname.endsWith("/people/roles")', true);
    await page.shows('sees all at night');
    await page.shows('shift: create, read');
    await page.shows('shift: delete, where a rule says so');
    await page.shows('writes shift.note');
    await page.isSound('roles');
    await page.click('Who has night_shift');
    await page.has('new URL(location.href).searchParams.get("role")', 'night_shift');
    await page.has(`${shown}.toSorted()`, [EVA, NEW].toSorted());
    await page.isSound('people-of-role');
    await page.click('with the role night_shift');
    await page.has('new URL(location.href).searchParams.get("role")', null);
    await page.click('Roles');
    await page.speak('Deutsch');
    await page.shows('Was jede Rolle darf');
    await page.isSound('roles-german');
    await page.speak('English');
    page.isQuiet();
  });

  test('a person is added with a password, and another by a mailed link', { timeout: LONG }, async () => {
    await page.click('Add a person');
    await page.has('location.pathname.endsWith("/people/add")', true);
    await page.type('Mail address', EVA);
    await page.click('Add the person');
    await page.shows('login_taken');
    page.isQuiet('409');
    await page.type('Mail address', 'olga@example.org');
    await page.type('Last name', 'Olsen');
    await tick('password');
    await page.type('First password', PASSWORD);
    await page.isSound('person-add');
    await page.click('Add the person');
    await page.shows('may log in with the password now.');
    expect((await login('olga@example.org')).status).toBe(200);
    await page.type('Mail address', 'ida@example.org');
    await page.click('Add the person');
    await page.shows('A mail with a link that sets the password is on its way.');
    await page.isSound('person-added');
    await mail.until(() => mail.received.some(({ to }) => to.includes('ida@example.org')));
    await page.click('ida@example.org');
    await state('active');
    await page.leave();
    await page.type('Find a person', NEW);
    await page.has(shown, [NEW]);
    page.isQuiet();
  });

  test('speaks German', { timeout: LONG }, async () => {
    await page.speak('Deutsch');
    await page.shows('Personen dieses Mandanten');
    await page.isSound('people-german');
    await page.click(NEW);
    await state('active');
    await page.click('Deaktivieren …');
    await page.isSound('person-german');
    await page.press('Escape');
    await page.leave();
    await page.click('Einladungen');
    await page.shows('Keine Einladung ist offen.');
    await page.isSound('invitations-german');
    page.isQuiet();
  });

  test('a product without accounts is told how it gets them', { timeout: LONG }, async () => {
    await page.blank();
    await page.page.goto(`${people.replace('/main/', '/sleeping/')}/invitations`);
    await page.type('Adresse', BOSS);
    await page.type('Passwort', PASSWORD);
    await page.click('Anmelden');
    await page.shows('accounts: { sign_up: invitation }');
    await page.shows('Ohne sie wird eine Person unmittelbar hinzugefügt:');
    await page.isSound('invitations-no-accounts');
    page.isQuiet('404');
  });

  test('a person who administers nothing is told so', { timeout: LONG }, async () => {
    await page.blank();
    await page.page.goto(people);
    await page.type('Adresse', NEW);
    await page.type('Passwort', PASSWORD);
    await page.click('Anmelden');
    await page.shows('Personen verwalten die Administratoren des Mandanten');
    await page.isSound('people-denied');
    page.isQuiet('403');
  });
});
