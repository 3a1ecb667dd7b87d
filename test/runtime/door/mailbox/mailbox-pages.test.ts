/** The pages of the development mailbox: what a mail says cannot become a page. */
import { expect, test } from 'vitest';
import type { KeptMail } from '#actors/protocol/mailbox.ts';
import { htmlPart, listPage, mailPage } from '#runtime/door/mailbox/mailbox-pages.ts';

const EVIL = `<script>alert('x')</script>"&`;
const SAFE = '&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&quot;&amp;';

const mail = (more: Partial<KeptMail> = {}): KeptMail => ({
  no: 3,
  at: '2026-01-01T00:00:00.000Z',
  tenant: 'acme:shop:dev:main',
  from: EVIL,
  to: EVIL,
  subject: EVIL,
  text: EVIL,
  html: '<p>x</p>',
  ...more,
});

test.each([
  ['the list', listPage([mail()]), 2],
  ['a mail', mailPage(mail()), 5],
])('%s escapes what it shows', (_, html, times) => {
  expect(html).not.toContain('<script');
  expect(html.split(SAFE)).toHaveLength(times + 1);
});

test('links of the text can be clicked, and nothing else of it', () => {
  const text = `a http://x.example/?a=1&b="2 <b> javascript:alert(1) https://y.example/'onclick=z`;
  const html = mailPage(mail({ text }));
  const links = [...html.matchAll(/<a href="([^"]*)" target="_blank" rel="noreferrer noopener">/g)].map(([, to]) => to);
  expect(links).toEqual(['http://x.example/?a=1&amp;b=', 'https://y.example/']);
  expect(html).toContain('&quot;2 &lt;b&gt; javascript:alert(1) ');
});

test('the HTML part is in a frame without scripts, its links in new windows', () => {
  expect(mailPage(mail())).toContain('sandbox="allow-popups allow-popups-to-escape-sandbox"');
  expect(htmlPart(mail())).toBe('<base target="_blank"><p>x</p>');
  expect(htmlPart(mail({ html: '<html><HEAD lang="x"><title>$& $1</title>' }))).toBe(
    '<html><HEAD lang="x"><base target="_blank"><title>$& $1</title>',
  );
});

test('an empty mailbox says so', () => {
  expect(listPage([])).toContain('No mail yet.');
});
