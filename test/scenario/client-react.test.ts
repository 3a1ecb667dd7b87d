/** The hooks of `@skep/client/react` in a page of Debian's Chromium, against a real node that is killed by kill -9. */
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { channel, createClient, type Channel } from '#client/index.ts';
import { bundledPage } from '#test/kit/bundled-client.ts';
import { hasChromium, Site } from '#test/kit/chromium.ts';
import { ChromiumPage } from '#test/kit/chromium-page.ts';
import { writeNoteProduct } from '#test/kit/note-product.ts';
import { TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { startProcess, type ProcessNode } from '#test/kit/process-node.ts';
import { call, exchange, positionHeaders, startTestNode, type Headers } from '#test/kit/test-node.ts';
import { ROOT } from '#runtime/place.ts';

const PASSWORD = 'correct horse battery';
const SOON = { timeout: 30_000, interval: 50 };
const ACCOUNTS = 'accounts: { sign_up: closed }\n';
const LINKS = ['reset', 'magic_link', 'email_change'].map(
  (kind) => `${kind}: "http://127.0.0.1/${kind}?token={token}"`,
);
const MAIL = `identity: { mail: { smtp: { host: 127.0.0.1, port: 9, starttls: false, auth: none }, from: "Shop <no-reply@shop.example>", links: { ${LINKS.join()} } } }\n`;
const CHANNELS = 'channels: { note: { entity: note, join: { users: true }, send: { users: true }, presence: true } }\n';

interface Room {
  readonly status: string;
  readonly member: string | null;
  readonly error: string | null;
  readonly who: readonly (readonly [subject: string, state: unknown])[];
}

describe.skipIf(!hasChromium)('hooks in Chromium', { timeout: 120_000 }, () => {
  const dir = mkdtempSync(join(tmpdir(), 'skep-client-react-'));
  let site: Site;
  let page: ChromiumPage;
  /** Tabs that share a login, with components in a channel. */
  let rooms: readonly [ChromiumPage, ChromiumPage];
  let node: ProcessNode;
  let file: string;
  let service: Headers;
  const ids = new Map<string, string>();
  const people = new Map<string, string>();

  const shown = async (...names: readonly string[]): Promise<unknown> => {
    const all = (await page.run('return page.shown')) as Record<string, unknown>;
    return names.length === 1 ? all[names[0]!] : names.map((name) => all[name]);
  };
  const act = (text: string): Promise<unknown> => page.run(`return page.acts.${text}`);
  /** Somebody else writes a note. */
  const write = async (title: string, open = true, owner: string | null = null): Promise<void> => {
    const gateway = node.listeners['gateway']!;
    const made = await call(gateway, 'POST', '/data/rest/note', service, { title, open, owner });
    expect(made.status, made.text).toBe(201);
    ids.set(title, (made.json as { data: [{ id: string }] }).data[0].id);
  };
  const change = async (title: string, changes: object): Promise<void> => {
    const path = `/data/rest/note/id/${ids.get(title)!}`;
    expect((await call(node.listeners['gateway']!, 'PATCH', path, service, changes)).status).toBe(200);
  };

  /** What a component in a channel shows. */
  const room = (tab: ChromiumPage, name: string): Promise<Room | null> =>
    tab.run(`return page.shown.${name}`) as Promise<Room | null>;
  /** Another member, which is no page. */
  async function enter(name: string, key: string) {
    const skep = createClient({ url: node.listeners['gateway']!, position: TENANT });
    await skep.auth.login({ login: `${name}@example.org`, password: PASSWORD });
    const desk: Channel<unknown, string> = channel(skep, 'note', { key });
    const [said, leaving] = [[] as string[], new AbortController()];
    const loop = async (): Promise<void> => {
      for await (const told of desk.join({ signal: leaving.signal }))
        if (told.type === 'message') said.push(told.payload);
    };
    loop().catch(() => undefined);
    await expect.poll(() => desk.members.length, SOON).toBeGreaterThan(0);
    return { desk, said, leaving, who: () => desk.members.map(({ subject, state }) => [subject, state]) };
  }
  async function draw(tab: ChromiumPage, code: string): Promise<void> {
    await tab.goto(`${site.origin('127.0.0.1')}/page`);
    await tab.run(`
      const { draw } = await import(URL.createObjectURL(new Blob([${JSON.stringify(code)}], { type: 'text/javascript' })));
      window.page = draw(${JSON.stringify(node.listeners['gateway'])}, '${TENANT}');`);
  }

  beforeAll(async () => {
    site = await Site.open();
    const localdir = writeNoteProduct(dir);
    appendFileSync(join(localdir, 'product.yaml'), ACCOUNTS + CHANNELS);
    const wish = {
      localdir,
      extra: MAIL,
      cors: `{ shop: { origins: ["${site.origin('127.0.0.1')}"] } }`,
    };
    const prepared = await startTestNode({ ...wish, dir });
    for (const name of ['ada', 'bob', 'eve']) {
      const person = { email: `${name}@example.org`, password: PASSWORD, roles: ['tenant_user'] };
      const { id } = (await prepared.node.ask(TENANT, 'identity', 'person.ensure', person)) as { id: string };
      people.set(name, id);
    }
    await prepared.stop();
    file = writePlatformFile(dir, wish);
    node = await startProcess(file);
    service = {
      ...positionHeaders(TENANT),
      Authorization: `Bearer ${await exchange(node.listeners['gateway']!, prepared.serviceKey)}`,
    };
    page = await ChromiumPage.open();
    await draw(page, await bundledPage(`${ROOT}test/client/react-page.ts`));
    // Only here StrictMode mounts each component twice.
    const code = await bundledPage(`${ROOT}test/client/react-room-page.ts`, 'development');
    rooms = [await page.newTab(), await page.newTab()];
    for (const tab of rooms) await draw(tab, code);
  }, 90_000);
  afterAll(async () => {
    await page.close();
    await node.end('SIGKILL');
    await site.close();
    rmSync(dir, { recursive: true, force: true });
  });

  test('a login shows what was refused without it', async () => {
    await write('b');
    await write('a');
    await write('c');
    await expect.poll(() => shown('liveError', 'list'), SOON).toEqual(['unauthorized', null]);
    await act(`login('ada@example.org', '${PASSWORD}')`);
    await expect
      .poll(() => shown('liveError', 'live', 'again', 'list'), SOON)
      .toEqual([null, ['a', 'b', 'c'], 3, ['a', 'b', 'c']]);
  });

  test('pages follow one another', async () => {
    await expect.poll(() => shown('pages', 'hasNextPage'), SOON).toEqual([[['a', 'b']], true]);
    await act('more()');
    await expect.poll(() => shown('pages', 'hasNextPage'), SOON).toEqual([[['a', 'b'], ['c']], false]);
  });

  test('what is written is read anew; a row keeps the version by which it is changed', async () => {
    const made = (await act("create({ title: 'd', open: true })")) as { id: string };
    ids.set('d', made.id);
    await expect
      .poll(() => shown('live', 'list', 'pages'), SOON)
      .toEqual([
        ['a', 'b', 'c', 'd'],
        ['a', 'b', 'c', 'd'],
        [
          ['a', 'b'],
          ['c', 'd'],
        ],
      ]);
    await act(`show('${made.id}')`);
    await expect.poll(() => shown('row', 'version'), SOON).toEqual(['d', 1]);
    await act(`update({ id: '${made.id}', changes: { title: 'dd' }, version: 1 })`);
    await expect.poll(() => shown('row', 'version', 'list'), SOON).toEqual(['dd', 2, ['a', 'b', 'c', 'dd']]);
    expect(await act(`update({ id: '${made.id}', changes: { title: 'late' }, version: 1 })`)).toBe(
      'v2.precondition_failed',
    );
    await act(`remove({ id: '${made.id}' })`);
    await expect
      .poll(() => shown('rowError', 'live', 'list'), SOON)
      .toEqual(['v2.row_not_found', ['a', 'b', 'c'], ['a', 'b', 'c']]);
    await act('show(null)');
  });

  test('a condition without a value is an error, not the list of all; a refusal is not asked again', async () => {
    await expect.poll(() => shown('all', 'owned'), SOON).toEqual([3, 0]);
    await act('own(undefined)');
    await expect.poll(() => shown('owned'), SOON).toMatch(/^where: owner is undefined/);
    await act('ask(true)');
    await expect.poll(() => shown('refused'), SOON).toEqual(['v2.query_failed', 1]);
    await act('ask(false)');
  });

  test('live rows follow what others do, over one connection; what meets the conditions no more is gone', async () => {
    const before = (await page.run('return page.streams()')) as number;
    await change('b', { title: 'bb' });
    await change('c', { open: false });
    await expect.poll(() => shown('live', 'again'), SOON).toEqual([['a', 'bb'], 2]);
    await change('c', { open: true });
    await expect.poll(() => shown('live'), SOON).toEqual(['a', 'bb', 'c']);
    expect(await page.run('return page.streams()')).toBe(before);
    await act('live(false)');
    await write('e');
    await act('live(true)');
    await expect.poll(() => shown('live'), SOON).toEqual(['a', 'bb', 'c', 'e']);
    expect(await page.run('return page.streams()')).toBe(before + 1);
  });

  test('components in one channel are one member; others see its state, and what one sends all hear', async () => {
    const [tab] = rooms;
    await tab.run(`await page.acts.login('ada@example.org', '${PASSWORD}')`);
    const bob = await enter('bob', ids.get('a')!);
    await tab.run(`page.acts.enterOne('${ids.get('a')}'); page.acts.enterOther('${ids.get('a')}')`);
    const [ada, ben] = [people.get('ada'), people.get('bob')];
    for (const name of ['one', 'other'])
      await expect
        .poll(() => room(tab, name), SOON)
        .toMatchObject({
          status: 'joined',
          error: null,
          who: [
            [ben, null],
            [ada, { line: 1 }],
          ],
        });
    expect(bob.who()).toEqual([
      [ben, null],
      [ada, { line: 1 }],
    ]);
    expect((await room(tab, 'one'))!.member).toBe((await room(tab, 'other'))!.member);
    expect(await tab.run('return page.joins()')).toBe(1);
    await tab.run('for (let line = 2; line < 60; line++) page.acts.line(line)');
    await expect.poll(bob.who, SOON).toContainEqual([ada, { line: 59 }]);
    expect(await tab.run(`return page.acts.other('hi')`)).toBe(null);
    await bob.desk.send('ho');
    for (const name of ['one', 'other'])
      await expect.poll(() => tab.run(`return page.heard.${name}`), SOON).toEqual(['hi', 'ho']);
    await tab.run('page.acts.enterOne(null)');
    await expect.poll(() => room(tab, 'one'), SOON).toMatchObject({ status: 'left', member: null, who: [] });
    expect(await room(tab, 'other')).toMatchObject({ status: 'joined' });
    // One component goes as another one comes: the member stays.
    await tab.run(`page.acts.enterOther(undefined); page.acts.enterOne('${ids.get('a')}')`);
    await expect.poll(() => room(tab, 'one'), SOON).toMatchObject({ status: 'joined' });
    await tab.run(`page.acts.enterOne(null); page.acts.enterOther('${ids.get('a')}')`);
    await expect.poll(() => room(tab, 'other'), SOON).toMatchObject({ status: 'joined' });
    expect(await tab.run('return page.joins()')).toBe(1);
    await tab.run('page.acts.enterOther(undefined)');
    await expect.poll(bob.who, SOON).toEqual([[ben, null]]);
    expect(await tab.run(`return page.acts.other('late')`)).toBe('client.stream_ended');
    await bob.desk.send('end');
    await expect.poll(() => bob.said, SOON).toEqual(['hi', 'ho', 'end']);
    bob.leaving.abort();
  });

  test('a refused join is shown, and asked again by another mount', async () => {
    const [tab] = rooms;
    await write('hidden', false, people.get('eve'));
    await tab.run(`page.acts.enterOther('${ids.get('hidden')}')`);
    await expect
      .poll(() => room(tab, 'other'), SOON)
      .toEqual({ status: 'left', member: null, error: 'v2.channel_not_found', who: [] });
    await change('hidden', { open: true });
    await tab.run(`page.acts.again()`);
    await expect.poll(() => room(tab, 'other'), SOON).toMatchObject({ status: 'joined', error: null });
    await change('hidden', { open: false });
    // Whether a member may still be there is asked before it is told something.
    const eve = createClient({ url: node.listeners['gateway']!, position: TENANT });
    await eve.auth.login({ login: 'eve@example.org', password: PASSWORD });
    await channel(eve, 'note', { key: ids.get('hidden')! }).send('for your eyes only');
    await expect
      .poll(() => room(tab, 'other'), SOON)
      .toMatchObject({ status: 'left', error: 'client.stream_ended', who: [] });
    expect(await tab.run('return page.heard.other')).toEqual(['hi', 'ho']);
    await tab.run(`page.acts.enterOther(undefined); page.acts.enterOne('${ids.get('a')}')`);
    await expect.poll(() => room(tab, 'one'), SOON).toMatchObject({ status: 'joined' });
  });

  test('live rows go on after kill -9 and a start, and components join again as another member', async () => {
    const before = (await room(rooms[0], 'one'))!;
    expect(await node.end('SIGKILL')).toBe('SIGKILL');
    await expect.poll(() => room(rooms[0], 'one'), SOON).toMatchObject({ status: 'joining', member: null, who: [] });
    node = await startProcess(file);
    await write('f');
    await change('b', { title: 'b' });
    for (const tab of [page, ...rooms]) await tab.run(`page.moveTo(${JSON.stringify(node.listeners['gateway'])})`);
    await expect
      .poll(() => room(rooms[0], 'one'), SOON)
      .toMatchObject({ status: 'joined', who: [[people.get('ada'), { line: 59 }]] });
    expect((await room(rooms[0], 'one'))!.member).not.toBe(before.member);
    expect(await rooms[0].run('return page.heard.one.at(-1)')).toBe('missed');
    await expect.poll(() => shown('live', 'following'), SOON).toEqual([['a', 'b', 'c', 'e', 'f'], true]);
  });

  test('the end of a login forgets what was read, and another user sees nothing of it', async () => {
    await act('logout()');
    await expect.poll(() => shown('live', 'list', 'pages', 'all'), SOON).toEqual([null, null, null, null]);
    await act(`login('bob@example.org', '${PASSWORD}')`);
    await expect
      .poll(() => shown('live', 'list'), SOON)
      .toEqual([
        ['a', 'b', 'c', 'e', 'f'],
        ['a', 'b', 'c', 'e', 'f'],
      ]);
  });

  test('a logout in another tab empties what is shown, and no user is shown rows of another one', async () => {
    const [tab, other] = rooms;
    for (const name of ['ada', 'bob', 'eve']) await write(`of ${name}`, false, people.get(name));
    const all = ['a', 'b', 'c', 'e', 'f'];
    const rows = async (): Promise<unknown> => tab.run('const { list, live } = page.shown; return [list, live]');
    const of = (name: string): string[] => [...all, ...(name === 'eve' ? ['hidden'] : []), `of ${name}`];
    await tab.run('page.acts.limit(45)');
    await expect.poll(rows, SOON).toEqual([of('ada'), of('ada')]);
    await tab.run(`await page.acts.create({ title: 'of ada, too', owner: '${people.get('ada')}' })`);
    await expect.poll(rows, SOON).toEqual([
      [...of('ada'), 'of ada, too'],
      [...of('ada'), 'of ada, too'],
    ]);
    const adas = await tab.run('return page.shown.loginId');
    // Rows of before stand in for those that are held up.
    await tab.run('page.hold(); page.acts.limit(40);');
    expect(await other.run('await page.acts.logout(); return page.kept()')).not.toContain(adas);
    await expect
      .poll(() => tab.run('const { status, made, one, email } = page.shown; return { status, made, one, email }'), SOON)
      .toMatchObject({ status: 'out', made: null, one: { status: 'left', error: null, who: [] }, email: null });
    expect(await rows()).toEqual([null, null]);
    expect(await tab.run('return page.kept()')).not.toContain(adas);
    await other.run(`await page.acts.login('bob@example.org', '${PASSWORD}')`);
    await expect.poll(() => tab.run('return page.shown.email'), SOON).toBe('bob@example.org');
    await expect.poll(rows, SOON).toEqual([null, of('bob')]);
    await tab.run('page.letGo()');
    await expect.poll(rows, SOON).toEqual([of('bob'), of('bob')]);
    const who = async () => (await room(tab, 'one'))!.who;
    await expect.poll(who, SOON).toEqual([[people.get('bob'), { line: 59 }]]);
    // Another user without a logout between.
    await tab.run('page.hold(); page.acts.limit(30);');
    await other.run(`await page.acts.login('eve@example.org', '${PASSWORD}')`);
    await expect.poll(() => tab.run('return page.shown.email'), SOON).toBe('eve@example.org');
    await tab.run('page.letGo()');
    await expect.poll(rows, SOON).toEqual([of('eve'), of('eve')]);
    await expect.poll(who, SOON).toEqual([[people.get('eve'), { line: 59 }]]);
    const drawn = (await tab.run('return page.drawn')) as [string | null, string[] | null][];
    const byLogin = Map.groupBy(drawn, ([login]) => login);
    const owned = (all: typeof drawn) =>
      all.flatMap(([, titles]) => titles ?? []).filter((title) => /^of \w+$/.test(title));
    const owners = [...byLogin.values()].map((all) => new Set(owned(all)));
    expect(owners.filter(({ size }) => size > 1)).toEqual([]);
    expect(owners.filter(({ size }) => size === 1).length).toBe(3);
  });

  test('a page that is shown again, and has heard of nothing meanwhile, looks whose it is', async () => {
    const [tab] = rooms;
    const shown = () => tab.run('const { status, list, live } = page.shown; return { status, list, live }');
    // A tab is not told of what it writes itself.
    await tab.run(`
      const name = Object.keys(localStorage).find((key) => key.startsWith('skep '));
      globalThis.kept = [name, localStorage.getItem(name)];
      localStorage.removeItem(name);
      dispatchEvent(new Event('pageshow'));`);
    await expect.poll(shown, SOON).toEqual({ status: 'out', list: null, live: null });
    await tab.run(`localStorage.setItem(...kept); dispatchEvent(new Event('pageshow'));`);
    await expect.poll(shown, SOON).toMatchObject({ status: 'in', live: expect.arrayContaining(['of eve']) as unknown });
  });

  test('a session that ends elsewhere empties what is shown', async () => {
    const [tab] = rooms;
    const skep = createClient({ url: node.listeners['gateway']!, position: TENANT });
    await skep.auth.login({ login: 'eve@example.org', password: PASSWORD });
    const { json } = await skep.transport.send({ method: 'GET', path: '/auth/me/sessions' });
    for (const { id, current } of (json as { sessions: { id: string; current: boolean }[] }).sessions)
      if (!current) await skep.transport.send({ method: 'DELETE', path: `/auth/me/sessions/${id}` });
    await expect
      .poll(() => tab.run('const { status, list, live, one } = page.shown; return { status, list, live, one }'), SOON)
      .toMatchObject({ status: 'out', list: null, live: null, one: { status: 'left', who: [] } });
  });
});
