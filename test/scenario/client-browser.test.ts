/** `@skep/client` as a bundle in a page of Debian's Chromium, at another origin than the node: it logs in, lists, writes, and is told of a change. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundled } from '#test/kit/bundled-client.ts';
import { hasChromium, Site } from '#test/kit/chromium.ts';
import { writeNoteProduct } from '#test/kit/note-product.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { startTestNode, type TestNode } from '#test/kit/test-node.ts';
import { ROOT } from '#runtime/place.ts';

const EMAIL = 'ada@example.org';
const PASSWORD = 'correct horse battery';

describe.skipIf(!hasChromium)('the client in Chromium', { timeout: 90_000 }, () => {
  const dir = mkdtempSync(join(tmpdir(), 'skep-client-page-'));
  let site: Site;
  let it: TestNode;

  beforeAll(async () => {
    site = await Site.open();
    const cors = `{ shop: { origins: ["${site.origin('127.0.0.1')}"] } }`;
    it = await startTestNode({ localdir: writeNoteProduct(dir), cors });
    const person = { email: EMAIL, password: PASSWORD, roles: ['tenant_user'] };
    await it.node.ask(TENANT, 'identity', 'person.ensure', person);
  }, 60_000);
  afterAll(async () => {
    await it.stop();
    await site.close();
    rmSync(dir, { recursive: true, force: true });
  });

  test('logs in, writes, lists, and follows changes; another tab of the page has its login', async () => {
    const code = await bundled(`export * from '${ROOT}client/index.ts';`);
    const found = await site.run(
      site.origin('127.0.0.1'),
      `
      const { createClient, isSkepError } = await import(URL.createObjectURL(new Blob([${JSON.stringify(code)}], { type: 'text/javascript' })));
      const place = { url: ${JSON.stringify(it.gateway)}, position: '${TENANT}', storage: localStorage };
      const skep = createClient(place);
      const notes = skep.from('note');
      const before = await notes.list().catch((error) => isSkepError(error, 'unauthorized') && error.status);
      await skep.auth.login({ login: '${EMAIL}', password: '${PASSWORD}' });
      const made = await notes.create({ title: 'from a page', open: true });
      const told = [];
      for await (const one of notes.changes({ snapshot: true, where: { open: true } })) {
        told.push(one.type + ' ' + (one.row?.title ?? ''));
        if (one.type === 'snapshot') await notes.update(made.id, { title: 'changed' }, { version: 1 });
        if (one.type === 'change') break;
      }
      const stale = await notes.update(made.id, { title: 'late' }, { version: 1 }).catch((error) => [error.code, error.details.version]);
      const other = createClient(place);
      const titles = (await other.from('note').list({ where: { open: true }, fields: ['title'] })).map(({ title }) => title);
      await other.auth.logout();
      return { before, told, stale, titles, isLoggedIn: skep.auth.isLoggedIn, hasLocks: 'locks' in navigator };`,
    );
    expect(found).toEqual({
      before: 401,
      told: ['row from a page', 'snapshot ', 'change changed'],
      stale: ['v2.precondition_failed', 2],
      titles: ['changed'],
      isLoggedIn: false,
      hasLocks: true,
    });
  });
});
