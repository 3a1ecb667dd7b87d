/** Mails in a product's own words: what a template may say, and what is refused with file, line and mend. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadProduct } from '#config/definitions/load-product.ts';
import { limits } from '#config/limits.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'skep-mails-'));
  write('product.yaml', 'name: atlas\n');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(dir, path)), { recursive: true });
  writeFileSync(join(dir, path), text);
}

const writeMail = (more: object, name = 'reset.en'): void =>
  write(`mails/${name}.yaml`, JSON.stringify({ subject: 'New password', text: 'Here:\n\n{{link}}\n', ...more }));

function problems(): string[] {
  const loaded = loadProduct(dir);
  if (!('problems' in loaded)) return [];
  return loaded.problems.map(({ file, message, mend }) => `${basename(file)}: ${message} (${mend})`);
}

const only = (): string => {
  const [first, ...others] = problems();
  expect(others).toEqual([]);
  return first ?? '';
};

describe('what is loaded', () => {
  test('each file is a mail of one kind in one language', () => {
    write('product.yaml', 'name: atlas\nmails: { language: de }\n');
    writeMail({}, 'reset.de');
    writeMail({ button: 'Neues Passwort', html: '<a href="{{link}}">{{name}}</a>' }, 'reset.pt-BR');
    const loaded = loadProduct(dir);
    if ('problems' in loaded) throw new Error(JSON.stringify(loaded.problems));
    expect(loaded.product.settings.mails).toEqual({ language: 'de' });
    expect(loaded.product.mails).toMatchObject([
      { kind: 'reset', language: 'de', button: null, html: null },
      { kind: 'reset', language: 'pt-BR', button: 'Neues Passwort', html: '<a href="{{link}}">{{name}}</a>' },
    ]);
  });

  test('sections over names, comments, and a placeholder in each place where it is safe', () => {
    writeMail({
      subject: '{{product}} for {{login}}',
      text: '{{! a comment }}{{#name}}Hello {{name}}{{/name}}{{^name}}Hello{{/name}}\n\n{{ link }} {{until}}',
      html: '<html lang="{{language}}"><title>{{product}}</title><a class="a" href="{{link}}#x">{{name}}</a></html>',
    });
    expect(problems()).toEqual([]);
  });
});

describe('what is refused', () => {
  test.each([
    ['subject', 'Hi {{nmae}}', 'a reset mail has no {{nmae}} (did you mean "name"?'],
    ['text', '{{link}} {{lnik}}', 'a reset mail has no {{lnik}} (did you mean "link"?'],
    ['text', '{{link}} {{#constructor}}x{{/constructor}}', 'a reset mail has no {{constructor}}'],
    ['text', '{{link}} {{name.length}}', 'a reset mail has no {{name.length}}'],
    ['text', '{{link}} {{.}}', 'a reset mail has no {{.}}'],
    ['text', '{{link}} {{{name}}}', '{{{name}}} would not be escaped (write {{name}})'],
    ['text', '{{link}} {{&name}}', '{{{name}}} would not be escaped'],
    ['text', '{{link}} {{> other}}', '{{>other}} includes another template'],
    ['text', '{{link}} {{=<% %>=}}', 'other delimiters than {{ and }}'],
    ['text', '{{link}} {{#name}}', 'not a template: Unclosed section "name"'],
    ['text', '{{link}} {{name', 'not a template: Unclosed tag'],
    ['text', 'no link', 'the mail would be of no use without {{link}}'],
    ['text', '{{^link}}x{{/link}}', 'the mail would be of no use without {{link}}'],
    ['text', `{{link}}${'{{name}}'.repeat(limits.mail.placeholdersMax)}`, 'more than 64 placeholders'],
    ['text', `{{link}}${'x'.repeat(limits.mail.templateCharsMax)}`, 'longer than 65536 characters'],
    ['html', '<p>no link</p>', 'the mail would be of no use without {{link}}'],
    ['html', '<a href="{{link}}" title="{{name}}">x</a>', 'a placeholder within the tag <a href="{{link}}" title='],
    ['html', '<a href={{link}}>x</a>', 'a placeholder within the tag <a href={{link}}>'],
    ['html', '{{link}}<p {{name}}>x</p>', 'a placeholder within the tag <p {{name}}>'],
    ['html', '{{link}}<style>p { color: {{name}} }</style>', 'a placeholder within <style>'],
    ['html', '{{link}}<STYLE>{{name}}', 'a placeholder within <STYLE>'],
    ['html', '{{link}}<script>alert(1)</script>', 'mails run no scripts'],
    ['subject', 'a\nb', 'must be one line of at most 200 characters'],
    ['button', '{{link}}', 'must be a few words, without a placeholder'],
    ['sbject', 'x', 'unknown key "sbject"'],
  ])('%s: %j', (key, text, what) => {
    writeMail({ [key]: text });
    expect(only()).toContain(what);
  });

  test.each([
    ['rest.en', 'there is no mail "rest" (did you mean "reset"?'],
    ['reset', '"" is not a language tag (BCP 47) (rename it to reset.en.yaml)'],
    ['reset.en_US', '"en_US" is not a language tag'],
    ['reset.de-ch', '"de-ch" is not a language tag (BCP 47) (rename it to reset.de-CH.yaml)'],
  ])('the name %s.yaml', (name, what) => {
    writeMail({}, 'reset.en');
    if (name !== 'reset.en') writeMail({}, name);
    expect(only()).toContain(what);
  });

  test('a kind that lacks the default language, also where the file of that language has a problem', () => {
    writeMail({}, 'reset.de');
    expect(only()).toContain('there is no reset.en.yaml: en is the language of mails for everybody else');
    writeMail({ subject: '{{x}}' }, 'reset.en');
    expect(only()).toContain('a reset mail has no {{x}}');
  });

  test('a default language that is no tag', () => {
    write('product.yaml', 'name: atlas\nmails: { language: german language }\n');
    expect(only()).toContain('must be a language tag (BCP 47) in its usual spelling');
  });

  test('a problem names the line of its text', () => {
    write('mails/reset.en.yaml', 'subject: x\ntext: |\n  {{link}}\nhtml: |\n  <p>{{nope}}</p>\n');
    const loaded = loadProduct(dir);
    expect('problems' in loaded && loaded.problems[0]).toMatchObject({ line: 4, path: 'html' });
  });
});
