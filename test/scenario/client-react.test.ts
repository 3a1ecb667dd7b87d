/** The hooks of `@skep/client/react` in a page of Debian's Chromium, against a real node that is killed by kill -9. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundledPage } from '#test/kit/bundled-client.ts';
import { hasChromium, Site } from '#test/kit/chromium.ts';
import { ChromiumPage } from '#test/kit/chromium-page.ts';
import { writeNoteProduct } from '#test/kit/note-product.ts';
import { TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { startProcess } from '#test/kit/process-node.ts';
import type { ProcessNode } from '#test/kit/process-node.ts';
import { call, exchange, positionHeaders, startTestNode } from '#test/kit/test-node.ts';
import type { Headers } from '#test/kit/test-node.ts';
import { ROOT } from '#runtime/place.ts';

const PASSWORD = 'correct horse battery';
const SOON = { timeout: 30_000, interval: 50 };

describe.skipIf(!hasChromium)('hooks in Chromium', { timeout: 120_000 }, () => {
  const dir = mkdtempSync(join(tmpdir(), 'skep-client-react-'));
  let site: Site;
  let page: ChromiumPage;
  let node: ProcessNode;
  let file: string;
  let service: Headers;
  const ids = new Map<string, string>();

  const shown = async (...names: readonly string[]): Promise<unknown> => {
    const all = (await page.run('return page.shown')) as Record<string, unknown>;
    return names.length === 1 ? all[names[0]!] : names.map((name) => all[name]);
  };
  const act = (text: string): Promise<unknown> => page.run(`return page.acts.${text}`);
  /** Somebody else writes a note. */
  const write = async (title: string, open = true): Promise<void> => {
    const gateway = node.listeners['gateway']!;
    const made = await call(gateway, 'POST', '/data/rest/note', service, { title, open });
    expect(made.status, made.text).toBe(201);
    ids.set(title, (made.json as { data: [{ id: string }] }).data[0].id);
  };
  const change = async (title: string, changes: object): Promise<void> => {
    const path = `/data/rest/note/id/${ids.get(title)!}`;
    expect((await call(node.listeners['gateway']!, 'PATCH', path, service, changes)).status).toBe(200);
  };

  beforeAll(async () => {
    site = await Site.open();
    const wish = {
      localdir: writeNoteProduct(dir),
      cors: `{ shop: { origins: ["${site.origin('127.0.0.1')}"] } }`,
    };
    const prepared = await startTestNode({ ...wish, dir });
    for (const name of ['ada', 'bob'])
      await prepared.node.ask(TENANT, 'identity', 'person.ensure', {
        email: `${name}@example.org`,
        password: PASSWORD,
        roles: ['tenant_user'],
      });
    await prepared.stop();
    file = writePlatformFile(dir, wish);
    node = await startProcess(file);
    service = {
      ...positionHeaders(TENANT),
      Authorization: `Bearer ${await exchange(node.listeners['gateway']!, prepared.serviceKey)}`,
    };
    page = await ChromiumPage.open();
    await page.goto(`${site.origin('127.0.0.1')}/page`);
    const code = await bundledPage(`${ROOT}test/client/react-page.ts`);
    await page.run(`
      const { draw } = await import(URL.createObjectURL(new Blob([${JSON.stringify(code)}], { type: 'text/javascript' })));
      window.page = draw(${JSON.stringify(node.listeners['gateway'])}, '${TENANT}');`);
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

  test('live rows go on after kill -9 and a start', async () => {
    expect(await node.end('SIGKILL')).toBe('SIGKILL');
    node = await startProcess(file);
    await write('f');
    await change('b', { title: 'b' });
    await page.run(`page.moveTo(${JSON.stringify(node.listeners['gateway'])})`);
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
});
