/** Mails in words and HTML: what a value can do to them, and which template is taken. */
import Mustache from 'mustache';
import { describe, expect, test } from 'vitest';
import { mailKinds, MAIL_KINDS } from '#config/definitions/mail-kinds.ts';
import { mailHtmlFault, mailTextFault, shows } from '#config/definitions/mail-text.ts';
import type { MailTemplate, ProductDefinition } from '#config/definitions/product.ts';
import { builtInMail } from '#actors/identity/mail/built-in.ts';
import { commonValues, templateFor } from '#actors/identity/mail/render-mail.ts';
import { htmlOf } from '#actors/kit/mail/layout.ts';
import { renderMail } from '#actors/kit/mail/render.ts';
import { parsePosition } from '#actors/protocol/position.ts';

const POSITION = parsePosition('acme:atlas:dev:main')!;
const ADA = { email: 'ada@example.org', firstname: 'Ada', lastname: null };
const LINK = 'https://example.org/r?token=T&x=1';

const valuesOf = (person: Partial<typeof ADA> & { lastname?: string | null } = {}) => ({
  ...commonValues(POSITION, { ...ADA, ...person }, '2026-01-01T01:00:00.000Z'),
  link: LINK,
  code: '123456',
});

const template = (more: Partial<MailTemplate> = {}): MailTemplate => ({
  kind: 'reset',
  language: 'en',
  subject: 'Reset',
  text: '{{link}}',
  button: null,
  html: null,
  ...more,
});

describe.each(mailKinds)('the built-in %s mail', (kind) => {
  const mail = builtInMail(kind);
  const { needs } = MAIL_KINDS[kind];

  test('passes the checks of a product’s own mails, its HTML too', () => {
    const html = htmlOf(mail);
    expect([mailTextFault(kind, mail.subject), mailTextFault(kind, mail.text)]).toEqual([null, null]);
    expect(mailHtmlFault(kind, html)).toBeNull();
    if (needs !== null) expect([shows(mail.text, needs), shows(html, needs)]).toEqual([true, true]);
  });

  test('loads nothing from elsewhere, and shows one thing to do', () => {
    const { html, text } = renderMail(mail, valuesOf());
    expect(html).not.toMatch(/<(?:img|link|script|iframe|object|video|audio)\b|url\(|@import|\ssrc=/i);
    expect(html).toContain('prefers-color-scheme:dark');
    expect(html.match(/class="button"/g) ?? []).toHaveLength(needs === 'link' ? 1 : 0);
    expect(text).toContain({ link: `\n\n${LINK}\n\n`, code: '\n\n123456\n\n', none: '.' }[needs ?? 'none']);
    if (needs !== null) expect(text).toContain('2026-01-01 01:00 UTC');
  });
});

describe('a value', () => {
  const own = template({
    subject: 'For {{name}} {{login}}',
    text: '{{name}} {{login}} {{link}}',
    html: '<p>{{name}} {{login}}</p><a href="{{link}}">x</a>',
  });

  test('is escaped in HTML and as it is in text', () => {
    const mail = renderMail(own, { ...valuesOf(), login: `"<b>'&x"@example.org`, link: LINK });
    expect(mail.text).toBe(`Ada "<b>'&x"@example.org ${LINK}`);
    expect(mail.html).toContain('&quot;&lt;b&gt;&#39;&amp;x&quot;@example.org');
    expect(mail.html).toContain('token&#x3D;T&amp;x&#x3D;1"');
  });

  test('cannot begin a line, a header or a paragraph', () => {
    const evil = { ...valuesOf(), login: 'a@b.c\r\nBcc: x@y.z\u2028\u0000' };
    const mail = renderMail(own, evil);
    expect(mail.subject).toBe('For Ada a@b.c Bcc: x@y.z ');
    expect(mail.text.split('\n')).toHaveLength(1);
  });

  test('is not read as a template', () => {
    const mail = renderMail(own, { ...valuesOf(), login: '{{link}}{{{link}}}' });
    expect(mail.text).toBe(`Ada {{link}}{{{link}}} ${LINK}`);
  });

  test.each([
    ['Visit https://evil.example/now <b>', 'Visit https evil example now b'],
    ['You won! evil.example', 'You won evil example'],
    ['J. R. R. Tolkien', 'J. R. R. Tolkien'],
    ['Zoë Ñandú-O’Neil d’Arc', 'Zoë Ñandú-O’Neil d’Arc'],
    ['علي', 'علي'],
    ['x'.repeat(300), 'x'.repeat(64)],
  ])('a name cannot be a link: %j', (firstname, shown) => {
    expect(renderMail(template({ text: '{{name}}' }), valuesOf({ firstname })).text).toBe(shown);
  });

  test('within a section the other names are still the mail’s, not those of a text', () => {
    const mail = renderMail(template({ text: '{{#name}}{{link}} {{login}}{{/name}}' }), valuesOf());
    expect(mail.text).toBe(`${LINK} ada@example.org`);
    const nameless = renderMail(template({ text: '{{^name}}Hello{{/name}}' }), valuesOf({ firstname: '' }));
    expect(nameless.text).toBe('Hello');
  });

  test('a name that is no value is empty, whatever objects inherit', () => {
    expect(renderMail(template({ text: '[{{constructor}}{{toString}}{{__proto__}}]' }), valuesOf()).text).toBe('[]');
  });
});

describe('HTML made of the text', () => {
  test('paragraphs, a button for a link alone, the label of the template or its subject', () => {
    const text = 'Hello <{{name}}> & co\nagain\n\n{{link}}\n\nor {{link}} here';
    const { html } = renderMail(template({ text, button: 'Go & see' }), valuesOf());
    expect(html).toContain('Hello &lt;Ada&gt; &amp; co<br>\nagain</p>');
    expect(html).toContain('>Go &amp; see</a>');
    expect(html.match(/class="button"/g)).toHaveLength(1);
    expect(html).toContain(`or <a href="${Mustache.escape(LINK)}">`);
    expect(renderMail(template({ text }), valuesOf()).html).toContain('>Reset</a>');
  });

  test('the language is the template’s', () => {
    expect(renderMail(template({ language: 'pt-BR' }), valuesOf()).html).toContain('<html lang="pt-BR">');
  });
});

describe('the template', () => {
  const product = (mails: readonly MailTemplate[], language?: string): ProductDefinition => ({
    name: 'atlas',
    entities: {},
    settings: language === undefined ? {} : { mails: { language } },
    mails,
  });

  test('is the product’s in the language, else in its default, else the built-in one', () => {
    const own = [template({ language: 'fr' }), template({ language: 'de' })];
    expect(templateFor(product(own, 'de'), 'reset', 'fr').language).toBe('fr');
    expect(templateFor(product(own, 'de'), 'reset', 'it').language).toBe('de');
    expect(templateFor(product(own, 'de'), 'magic_link', 'de')).toEqual(builtInMail('magic_link'));
  });
});
