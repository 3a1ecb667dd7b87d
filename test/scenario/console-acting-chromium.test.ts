/** An operator acts for a person at the console, and a person sees it: begun by name and reason, a banner on every page, ended by a button, by a reload, by the person; one's own sessions by device. In Debian's Chromium, on a real node. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CONTROL_PLANE } from '#actors/protocol/position.ts';
import { hasChromium } from '#test/kit/chromium.ts';
import { CONSOLE_MS_MAX, ConsoleNode } from '#test/kit/console-node.ts';
import type { ConsolePage } from '#test/kit/console-page.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { positionHeaders } from '#test/kit/test-node.ts';

const LONG = 240_000;
const BOSS = 'boss@example.org';
const PLANE = 'acme:shop:dev:superadmin';
const EVA = 'eva@example.org';
const CAL = 'cal@example.org';
const OPERATOR = 'opal@example.org';
const PHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Safari/604.1';
const FILES: Readonly<Record<string, string>> = {
  'product.yaml': 'name: shop\naccounts: { sign_up: invitation, roles: [] }\nsessions: { mode: managed }\n',
  'entities/note.yaml': `entities:
  note:
    fields: { text: { type: string }, owner: { type: string } }
    row_rule: { language: cel, rule: "principal.type == 'service' || row.owner == principal.subject" }
    access:
      create: { language: cel, rule: "true" }
      read: { language: cel, rule: "true" }
      update: { language: cel, rule: "true" }
`,
};

describe.skipIf(!hasChromium)('acting for a person in a browser', () => {
  let console: ConsoleNode;
  let page: ConsolePage;
  let operator: string;

  const login = (headers: Record<string, string> = {}) =>
    console.it.call('POST', '/auth/login', { ...positionHeaders(TENANT), ...headers }, console.credentials(EVA));
  const bearer = async () => {
    const { access_token } = (await login()).json as { access_token: string };
    return { ...positionHeaders(TENANT), Authorization: `Bearer ${access_token}` };
  };
  const openSessions = async () => {
    const { json } = await console.it.call('GET', '/auth/me/sessions', await bearer());
    const { sessions } = json as { sessions: { kind: string; ended_at: string | null; impersonation?: object }[] };
    return sessions.filter(({ kind, ended_at: ended }) => kind === 'impersonation' && ended === null);
  };
  const begin = async (person: string, reason: string, mode = ''): Promise<void> => {
    await page.type('Tenant', 'main');
    await page.type('Address of the person', person);
    await page.type('Reason', reason);
    if (mode !== '')
      await page.page.run(
        `[...document.querySelectorAll('label')].find((one) => one.textContent === ${JSON.stringify(mode)}).click()`,
      );
    await page.click('Act for this person');
  };

  beforeAll(async () => {
    console = await ConsoleNode.start({ files: FILES });
    ({ page } = console);
    const { node } = console.it;
    await node.bootstrap({ tenant: PLANE, scope: null, person: null });
    const roles = ['impersonate', 'impersonate-readonly'];
    operator = (
      (await node.ask(PLANE, 'identity', 'user.ensure', { ...console.credentials(OPERATOR), roles })) as { id: string }
    ).id;
    const { id: eva } = (await console.ensure(EVA, ['tenant_user'])) as { id: string };
    await console.ensure(CAL, ['tenant_user']);
    const service = await console.it.service();
    for (const [text, owner] of [
      ['mine', eva],
      ['stranger', 'x'],
    ])
      await console.it.call('POST', '/data/rest/note', service, { text, owner });
  }, CONSOLE_MS_MAX);
  afterAll(() => console?.stop());

  test(
    'a person who has not allowed it, and an operator without a grant, are told what is needed',
    { timeout: LONG },
    async () => {
      await console.open('/act-as', OPERATOR, PLANE);
      await page.shows('The person reads it.');
      await page.isSound('act-as');
      await begin(EVA, 'ticket 7');
      await page.shows('This is not allowed.');
      expect(await page.lineOf('Shell')).toContain(
        'skep impersonation grant -f platform.yaml --operator you@example.org --tenant acme:shop:dev:main --for 1h',
      );
      await page.isSound('act-as-denied');
      page.isQuiet('403');
    },
  );

  test('a person allows it, and sees sessions by device', { timeout: LONG }, async () => {
    await login({ 'User-Agent': PHONE });
    await login({ 'User-Agent': PHONE });
    await console.open('/me', EVA);
    await page.shows('Safari · iPhone (2)');
    await page.shows('this page');
    await page.isSound('me');
    await page.page.run('document.querySelector("input[role=switch]").click()');
    await page.has('document.querySelector("input[role=switch]").checked', true);
    await page.click('End all others (2)');
    await page.shows('The others are ended.');
    page.isQuiet();
    await page.speak('Deutsch');
    await page.shows('Wo ich angemeldet bin');
    await page.isSound('me-german');
    await page.speak('English');
  });

  test(
    'the banner says for whom, why and until when, on every page; rules are those of the person',
    { timeout: LONG },
    async () => {
      await console.it.node.ask(CONTROL_PLANE, 'identity', 'grant.put', {
        operator,
        tenant: TENANT,
        granted_by: 'test',
        for_ms: 3_600_000,
      });
      await console.open('/act-as?tenant=main&to=scratchpad', OPERATOR, PLANE);
      await begin(EVA, 'ticket 7');
      await page.shows(`You act for ${EVA}`);
      await page.shows('“ticket 7”');
      await page.shows('only read');
      await page.type('Find a route', 'note list rows');
      await page.click('GET /data/rest/note');
      await page.click('Run');
      await page.has(
        'document.querySelector(".cm-content[aria-label=Answer]")?.innerText.includes("mine") ?? false',
        true,
      );
      expect(await page.text()).not.toContain('stranger');
      await page.isSound('acting');
      await page.type('Find a route', 'note create');
      // What only reads is offered to one who only reads.
      await page.shows('No route has all of these words.');
      page.isQuiet();
      await page.click('Data');
      await page.shows(`You act for ${EVA}`);
      await page.click('My account');
      await page.shows(`You act for ${EVA}`);
      await page.speak('Deutsch');
      await page.shows(`Sie handeln für ${EVA}`);
      await page.isSound('acting-german');
      await page.speak('English');
      page.isQuiet('403');
      expect(await openSessions()).toMatchObject([
        { impersonation: { operator, reason: 'ticket 7', mode: 'readonly' } },
      ]);
    },
  );

  test('the button ends it, at the node as well', { timeout: LONG }, async () => {
    await page.click('End it');
    await page.shows('Log in at acme / shop / dev / main');
    expect(await page.text()).not.toContain('You act for');
    await expect.poll(openSessions, { timeout: 60_000 }).toEqual([]);
    page.isQuiet();
  });

  test('an administrator of the tenant reads who acted for the person, how and why', { timeout: LONG }, async () => {
    await console.ensure(BOSS, ['tenant_admin']);
    await console.open('/people', BOSS);
    await page.click(EVA);
    await page.shows('Operators on behalf of this person');
    await page.shows(`${operator} · only reading · “ticket 7”`);
    await page.isSound('people-acted');
    page.isQuiet();
  });

  test('a page that is loaded again has ended it, and says so', { timeout: LONG }, async () => {
    await console.open('/act-as', OPERATOR, PLANE);
    await begin(EVA, 'ticket 8', 'read and change');
    await page.shows('read and change');
    await page.isSound('acting-full');
    expect(await openSessions()).toHaveLength(1);
    await page.page.command('Page.reload');
    await page.shows(`You acted for ${EVA}`);
    await expect.poll(openSessions, { timeout: 60_000 }).toEqual([]);
    await page.isSound('acting-left');
    expect(JSON.stringify(await page.page.run('return { ...sessionStorage, ...localStorage }'))).not.toContain(
      'v4.public',
    );
    await page.click('Understood');
    await page.has('document.querySelector(".acting") === null', true);
    page.isQuiet();
  });

  test('a person ends it: the operator is at the log in', { timeout: LONG }, async () => {
    await console.open('/act-as', OPERATOR, PLANE);
    await begin(EVA, 'ticket 9');
    await page.shows(`You act for ${EVA}`);
    const withdrawn = await console.it.call('PATCH', '/auth/me', await bearer(), { allow_impersonation: false });
    expect(withdrawn.status).toBe(200);
    // Any further request shows it: that of another page, or one that this page had not sent yet.
    await page.page.run(`[...document.querySelectorAll('a')].find((one) => one.textContent === 'Logic')?.click()`);
    await page.shows('Log in at acme / shop / dev / main');
    await page.has('document.querySelector(".acting") === null', true);
    page.isQuiet('401');
  });

  test('whom a grant does not name is refused by name, and a plane has no rows', { timeout: LONG }, async () => {
    await console.open('/act-as', OPERATOR, PLANE);
    await begin(CAL, 'ticket 10');
    await page.shows('This is not allowed.');
    expect(await page.text()).not.toContain('Scratchpad');
    page.isQuiet('403');
  });

  test(
    'a superadmin’s page of a tenant leads there, with the tenant filled in; others that the page knows are offered',
    { timeout: LONG },
    async () => {
      const tenant = (value: string) => page.has('document.querySelector("form input")?.value', value);
      await console.enterPlane();
      await page.click('Tenants');
      await page.click('acme / shop / dev / main');
      await page.shows('Its rows');
      await page.isSound('tenant-ways');
      await page.click('Act for a person');
      await page.shows('Log in at acme / shop / dev / superadmin');
      await console.logIn(OPERATOR);
      await page.shows('The person reads it.');
      await tenant('main');
      await page.type('Tenant', 'ot');
      await page.has('[...document.querySelectorAll("[role=option]")].map((one) => one.innerText)', ['other']);
      await page.isSound('act-as-offered');
      await page.click('other');
      await tenant('other');
      page.isQuiet();
    },
  );
});
