/**
 * The page of the template help-desk in two windows of Debian's Chromium, a requester's and an agent's: each shows what the other does as it happens, and both show
 * what the node has after kill -9 of the process and after kills of the tenant's host. What the requester may not see does not reach the window.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { filesOf } from '#runtime/cli/new-product.ts';
import { ROOT } from '#runtime/place.ts';
import { hasChromium } from '#test/kit/chromium.ts';
import { freePortBase } from '#test/kit/free-port.ts';
import { DeskWindow, type Line, type Said } from '#test/kit/desk-window.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { startProcess, type ProcessNode } from '#test/kit/process-node.ts';
import { rounds } from '#test/kit/rounds.ts';
import { positionHeaders, startTestNode, type Headers, type TestNode } from '#test/kit/test-node.ts';

/** Two kills a round: a node whose host dies more than ten times in a minute ends, so that what runs it sees the fault (runtime/supervisor/children.ts). */
const ROUNDS = rounds({ suite: 1, ci: 2 });
const SOON = { timeout: 60_000, interval: 50 };
const PEOPLE = { ann: 'tenant_admin', gus: 'agent', eve: 'requester' } as const;
const passwordOf = (name: string): string => `the password of ${name}`;
/** What the page writes for a status. */
const seen = (status: unknown): string => String(status).replace('_', ' ');

/** A node that serves the product, and how it is hurt. */
interface Served {
  readonly tenant: string;
  /** The site. */
  url(): string;
  /** Resolves when it serves again. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/** As a person begins: `skep new`, the tenant, its people, the process. */
async function ownProcess(): Promise<Served> {
  const dir = mkdtempSync(join(tmpdir(), 'skep-desk-page-'));
  const tenant = 'acme:desk:dev:main';
  const env = { SKEP_PORT_BASE: String(await freePortBase()) };
  const file = join(dir, 'desk/platform.yaml');
  const skep = (args: readonly string[], input = ''): Promise<string> =>
    new Promise((resolve, reject) => {
      const options = { cwd: dir, env: { ...process.env, ...env } };
      const child = execFile(`${ROOT}runtime/cli/skep`, args, options, (error, stdout) =>
        error === null ? resolve(stdout) : reject(error),
      );
      child.stdin!.end(input);
    });
  await skep(['new', 'desk', '--template', 'help-desk']);
  const of = ['-f', file, '--tenant', tenant];
  await skep(['tenant', 'provision', ...of, '--email', 'ann@example.org'], `${passwordOf('ann')}\n`);
  for (const name of ['gus', 'eve'] as const)
    await skep(['user', 'add', `${name}@example.org`, ...of, '--role', PEOPLE[name]], `${passwordOf(name)}\n`);
  let node: ProcessNode = await startProcess(file, env);
  return {
    tenant,
    url: () => node.listeners['gateway']!.replace('127.0.0.1', 'localhost'),
    kill: async () => {
      expect(await node.end('SIGKILL')).toBe('SIGKILL');
      node = await startProcess(file, env);
    },
    stop: async () => {
      await node.end('SIGKILL');
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** A node of this process, of which single hosts can be killed. */
async function ownThreads(): Promise<Served> {
  const dir = mkdtempSync(join(tmpdir(), 'skep-desk-page-'));
  for (const { path, text } of await filesOf('help-desk', 'shop')) {
    mkdirSync(join(dir, dirname(path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
  const it: TestNode = await startTestNode({
    localdir: join(dir, 'product'),
    forms: `{ dir: ${join(dir, 'forms')} }`,
    sites: `{ localhost: { tenant: "${TENANT}", cookies: true, web: true } }`,
    hosts: 1,
    extra: 'vault: { profile: development }\njobs: { threads: 1 }',
  });
  for (const [name, role] of Object.entries(PEOPLE))
    await it.node.ask(TENANT, 'identity', 'person.ensure', {
      email: `${name}@example.org`,
      password: passwordOf(name),
      roles: [role],
    });
  return {
    tenant: TENANT,
    url: () => it.gateway.replace('127.0.0.1', 'localhost'),
    kill: () => it.node.drill.killHost(0),
    stop: async () => {
      await it.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

describe.skipIf(!hasChromium).each([
  ['the process', ownProcess],
  ['the host of the tenant', ownThreads],
] as const)('the help desk through kills of %s', { timeout: 120_000 + ROUNDS * 60_000 }, (what, start) => {
  let it: Served;
  let eve: DeskWindow;
  let gus: DeskWindow;
  /** The ticket that both have open. */
  let open = '';
  const asked = new Map<DeskWindow, Headers>();

  beforeAll(async () => {
    it = await start();
    eve = await DeskWindow.open(it.url());
    gus = await DeskWindow.open(it.url());
    asked.set(eve, await loggedIn('eve'));
    asked.set(gus, await loggedIn('gus'));
  }, 120_000);
  afterAll(async () => {
    await eve?.close();
    await gus?.close();
    await it?.stop();
  });

  /** The headers by which the test itself asks the node, beside the window. */
  async function loggedIn(name: string): Promise<Headers> {
    const headers = { ...positionHeaders(it.tenant), 'Content-Type': 'application/json' };
    const body = JSON.stringify({ login: `${name}@example.org`, password: passwordOf(name) });
    const answer = await fetch(`${it.url()}/auth/login`, { method: 'POST', headers, body });
    return { ...headers, Authorization: `Bearer ${((await answer.json()) as { access_token: string }).access_token}` };
  }
  async function rows(window: DeskWindow, query: string): Promise<readonly Record<string, unknown>[]> {
    const answer = await fetch(`${it.url()}/data/rest/${query}`, { headers: asked.get(window)! });
    const { data } = (await answer.json()) as { data?: readonly Record<string, unknown>[] };
    return data ?? [];
  }
  /** The list as the node has it for the user of a window, in the order in which the page shows it. */
  const linesOf = async (window: DeskWindow): Promise<Line[]> =>
    (await rows(window, 'ticket?orderby=-id&limit=100')).map(({ id, subject, status, priority }) => [
      id as string,
      subject as string,
      seen(status),
      priority === 'normal' ? '' : `${priority as string} priority`,
    ]);
  const commentsOf = async (window: DeskWindow): Promise<Said[]> =>
    (await rows(window, `comment?ticket_id=${open}&orderby=id&limit=100`)).map(({ id, text, internal }) => [
      id as string,
      text as string,
      internal === true,
    ]);
  /** Both windows come to show what the node has for their users: each row once, in order, and nothing else. */
  async function same(): Promise<void> {
    for (const window of [eve, gus]) {
      await expect.poll(() => window.text('#connection'), SOON).toBe('live');
      await expect.poll(() => window.lines(), SOON).toEqual(await linesOf(window));
      await expect.poll(() => window.comments(), SOON).toEqual(await commentsOf(window));
    }
  }
  /** Presses until the open ticket has the status: a press may meet a node that is away, and may have done its work before this looks. */
  async function move(window: DeskWindow, label: string, status: string): Promise<void> {
    const state = () => window.text('article .state');
    await expect
      .poll(async () => (await state()) === status || (await window.events()).includes(label), SOON)
      .toBe(true);
    await expect
      .poll(async () => {
        const now = await state();
        if (now !== status && (await window.text('article > .fault')) !== null) await window.press(label);
        return now;
      }, SOON)
      .toBe(status);
  }

  test('a wrong password is said, a right one shows the list', async () => {
    await eve.send('main form', { login: 'eve@example.org', password: 'wrong' });
    await expect.poll(() => eve.text('main form > .fault'), SOON).toMatch(/credentials|password/);
    await eve.logIn('eve');
    await gus.logIn('gus');
    for (const window of [eve, gus]) await expect.poll(() => window.text('#connection'), SOON).toBe('live');
    expect([await eve.text('#who'), await gus.text('#who')]).toEqual(['eve@example.org', 'gus@example.org']);
    expect(await eve.lines()).toEqual([]);
  });

  test('what is wrong with a field stands beside the field', async () => {
    await eve.go('new');
    await eve.send('#place form', { subject: 'No' });
    await expect.poll(() => eve.text('label .fault'), SOON).toBe('must have at least 3 characters');
    expect(await eve.page.run(`return document.activeElement.name`)).toBe('subject');
    expect(await eve.lines()).toEqual([]);
  });

  test('what each does is in the other window as it happens', async () => {
    await eve.send('#place form', { subject: 'No sound', text: 'at all' });
    await gus.go('new');
    await gus.send('#place form', { subject: 'Of an agent', text: '' });
    await expect
      .poll(async () => (await gus.lines()).map(([, subject]) => subject), SOON)
      .toEqual(['Of an agent', 'No sound']);
    open = (await eve.lines())[0]![0];
    await gus.go(open);
    await expect.poll(() => gus.events(), SOON).toEqual(['Start', 'Withdraw']);
    await gus.send('article form', { text: 'a note of agents 0', internal: true });
    await gus.send('article form', { text: 'said to her 0', internal: false });
    await gus.press('Start');
    await expect.poll(() => eve.text('article .state'), SOON).toBe('in progress');
    await expect.poll(() => eve.events(), SOON).toEqual([]);
    await expect.poll(async () => (await eve.comments()).map(([, text]) => text), SOON).toEqual(['said to her 0']);
    await same();
    expect((await eve.lines()).map(([, subject]) => subject)).toEqual(['No sound']);
  });

  test(`${ROUNDS} rounds of kills under writes of both`, async () => {
    for (let round = 1; round <= ROUNDS; round++) {
      await eve.go('new');
      const killed = it.kill();
      await eve.send('#place form', { subject: `Ticket ${round}`, text: `of round ${round}` });
      await killed;
      await expect
        .poll(async () => (await gus.lines()).map(([, subject]) => subject), SOON)
        .toContain(`Ticket ${round}`);
      open = (await gus.lines()).find(([, subject]) => subject === `Ticket ${round}`)![0];
      await eve.go(open);
      await gus.go(open);
      await expect.poll(() => gus.text('article h1'), SOON).toBe(`Ticket ${round}`);
      await same();
      const again = it.kill();
      await gus.send('article form', { text: `a note of agents ${round}`, internal: true });
      await eve.send('article form', { text: `asked again ${round}` });
      await again;
      await gus.send('article form', { text: `said to her ${round}`, internal: false });
      await gus.press('Start');
      await move(gus, 'Start', 'in progress');
      await expect.poll(() => eve.text('article .state'), SOON).toBe('in progress');
      await same();
      expect((await commentsOf(gus)).length - (await commentsOf(eve)).length).toBeGreaterThan(0);
    }
    for (const window of [eve, gus]) expect(await window.states()).toContain('reconnecting …');
  });

  test('the filter shows one status, and goes on following', async () => {
    const choose = (status: string) =>
      gus.page.run(`document.querySelector('#filter [value="${status}"]').click()`).then(() => undefined);
    await choose('solved');
    await expect.poll(() => gus.text('nav .empty'), SOON).toBe('No tickets here.');
    await gus.press('Mark as solved');
    await expect.poll(async () => (await gus.lines()).map(([id]) => id), SOON).toEqual([open]);
    await expect.poll(() => eve.events(), SOON).toEqual(['Close', 'Reopen']);
    await eve.press('Reopen');
    await expect.poll(() => gus.lines(), SOON).toEqual([]);
    await choose('');
    await same();
  });

  test('notes among agents never reached the requester, nor did a ticket of somebody else', async () => {
    const [ofEve, ofGus] = [await eve.received(), await gus.received()];
    for (let round = 0; round <= ROUNDS; round++) {
      expect(ofGus).toContain(`a note of agents ${round}`);
      expect(ofEve).toContain(`said to her ${round}`);
      expect(ofEve).not.toContain(`a note of agents ${round}`);
    }
    expect([ofGus.includes('Of an agent'), ofEve.includes('Of an agent')]).toEqual([true, false]);
  });

  test('nothing was refused by the browser, and no script failed', () => {
    // The wrong password and the short subject.
    const answered = /status of (?:401|422)/;
    expect(eve.faults().filter((text) => !answered.test(text))).toEqual([]);
    expect(gus.faults()).toEqual([]);
  });

  test.skipIf(what !== 'the process')('somebody signs up by the mailed link, and is logged in', async () => {
    const kim = await DeskWindow.open(`${it.url()}/#sign-up`);
    onTestFinished(() => kim.close());
    await kim.send('main form', { email: 'kim@example.org' });
    await expect.poll(() => kim.text('main form'), SOON).toContain('A mail is on its way to kim@example.org.');
    const operations = it.url().replace(/\d+$/, (port) => String(Number(port) + 1));
    let link = '';
    await expect
      .poll(async () => {
        const mails = await (await fetch(`${operations}/mails`, { headers: { Accept: 'application/json' } })).text();
        return (link = /\/welcome\?token=[\w.-]+/.exec(mails)?.[0] ?? '');
      }, SOON)
      .not.toBe('');
    await kim.page.goto(it.url() + link);
    await kim.send('main form', { password: passwordOf('kim') });
    await expect.poll(() => kim.text('#who'), SOON).toBe('kim@example.org');
    await expect.poll(() => kim.text('nav .empty'), SOON).toBe('No tickets here.');
    expect(await kim.page.run('return location.pathname + location.search')).toBe('/');
    expect(kim.faults()).toEqual([]);
  });

  test('a logout leads to the entrance, and the window shows nothing of before', async () => {
    await eve.press('Log out');
    await expect.poll(() => eve.text('main h1'), SOON).toBe('Log in');
    expect([await eve.text('#who'), await eve.text('#connection'), await eve.lines()]).toEqual([null, null, []]);
  });
});
