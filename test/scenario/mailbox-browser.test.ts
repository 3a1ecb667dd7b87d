/** The development mailbox in Debian's Chromium: the HTML part is shown and runs nothing, and a page of another site reads nothing. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium, Site } from '#test/kit/chromium.ts';
import { ChromiumPage } from '#test/kit/chromium-page.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { call, startTestNode, type TestNode } from '#test/kit/test-node.ts';
import { EMAIL, PASSWORD } from '#test/kit/users.ts';

describe.skipIf(!hasChromium)('the mailbox in Chromium', { timeout: 90_000 }, () => {
  let it: TestNode;
  let base: string;
  beforeAll(async () => {
    const extra = `vault: { profile: development }
identity:
  mail:
    mailbox: true
    from: Shop <no-reply@shop.example>
    links: { reset: "https://shop.example/reset?token={token}", magic_link: "https://shop.example/in#{token}" }
`;
    it = await startTestNode({ extra });
    base = it.node.listeners['operations']!;
    await it.node.ask(TENANT, 'identity', 'user.ensure', { login: EMAIL, password: PASSWORD, roles: ['tenant_user'] });
    await it.call('POST', '/auth/magic-link', it.position(), { login: EMAIL });
    while (!(await call(base, 'GET', '/mails')).text.includes('/mails/1')) await new Promise((r) => setTimeout(r, 20));
  });
  afterAll(() => it.stop());

  test('shows a mail with its text and its HTML part, without an error of its policy', async () => {
    const page = await ChromiumPage.open();
    try {
      await page.goto(`${base}/mails/1`);
      const seen = await page.run(
        `return { title: document.title, link: document.querySelector('#text a').href, inside: document.querySelector('#html').contentDocument };`,
      );
      expect(seen).toMatchObject({ title: 'Your login link', inside: null });
      expect((seen as { link: string }).link).toMatch(/^https:\/\/shop\.example\/in#/);
      expect(page.fetched).toContain(`${base}/mails/1/html`);
      expect(page.refused).toEqual([]);
      expect((await page.picture()).length).toBeGreaterThan(1000);
    } finally {
      await page.close();
    }
  });

  test('a page of another site can neither read nor embed it', async () => {
    const site = await Site.open();
    try {
      const found = await site.run(
        site.origin('localhost'),
        `const read = await fetch(${JSON.stringify(`${base}/mails`)}, { headers: { Accept: 'application/json' } }).then((r) => r.text(), () => 'unread');
         const frame = document.createElement('iframe');
         frame.src = ${JSON.stringify(`${base}/mails/1`)};
         const loaded = new Promise((resolve) => (frame.onload = resolve));
         document.body.append(frame);
         await loaded;
         return { read, frames: frame.contentWindow.length };`,
      );
      expect(found).toEqual({ read: 'unread', frames: 0 });
    } finally {
      await site.close();
    }
  });
});
