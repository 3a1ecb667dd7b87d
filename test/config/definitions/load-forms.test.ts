import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadForms, type LoadedForms } from '#config/definitions/load-forms.ts';
import { PrivateHosts } from '#config/private-hosts.ts';
import { placeText } from '#config/problem.ts';
import { temporaryFolders } from '#test/kit/temporary-folders.ts';

const newFolder = temporaryFolders('forms');

function load(files: Readonly<Record<string, string>>, env = {}): { dir: string; loaded: LoadedForms } {
  const dir = newFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
  return { dir, loaded: loadForms(dir, { env }) };
}

function bad(files: Readonly<Record<string, string>>): string[] {
  const { dir, loaded } = load(files);
  if (!('problems' in loaded)) throw new Error('loaded without problems');
  return loaded.problems.map((p) => `${placeText(p).slice(dir.length + 1)} ${p.message} / ${p.mend}`);
}

const form = (text: string): Record<string, string> => ({ 'f.yaml': `id: f\n${text}` });
const field = (text: string): Record<string, string> => form(`fields: {a: ${text}}`);

test('a form is read with all that it may say', () => {
  const text =
    'title: T\nfields:\n  email: {type: email, required: true, max_length: 200}\n  age: {type: integer, min: 1, max: 9}\n' +
    '  kind: {type: enum, enum: [a, b]}\n  code: {type: string, pattern: "^[a-z]+$", format: uuid}\nhoneypot: website\n' +
    'notify:\n  email: {to: a@b.c, subject: S, reply_to_field: email}\n  chat: {webhook: "${HOOK}"}\nretention: 720h\n';
  const { dir, loaded } = load(form(text), { HOOK: 'https://chat.example/x' });
  expect(loaded).toEqual({
    notes: [],
    forms: {
      f: {
        id: 'f',
        title: 'T',
        fields: {
          email: { type: 'email', required: true, max_length: 200 },
          age: { type: 'integer', min: 1, max: 9 },
          kind: { type: 'enum', enum: ['a', 'b'] },
          code: { type: 'string', pattern: '^[a-z]+$', format: 'uuid' },
        },
        honeypot: 'website',
        notify: {
          email: { to: ['a@b.c'], subject: 'S', reply_to_field: 'email' },
          chat: { webhook: 'https://chat.example/x' },
        },
        retention: '720h',
        where: `${join(dir, 'f.yaml')}:1:1`,
      },
    },
  });
});

test.each([
  ['http://chat.example/x', [], true],
  ['https://127.0.0.1/x', [], true],
  ['https://chat.example/x', [], false],
  ['http://chat.example/x', ['chat.example'], false],
] as const)(
  'a webhook that no notice can reach is refused where notices are sent: %s beside %j',
  (url, list, refused) => {
    const text = `fields: {a: {type: string}}\nnotify: {chat: {webhook: "${url}"}}\n`;
    const { dir } = load(form(text));
    const loaded = loadForms(dir, { reachable: new PrivateHosts(list) });
    expect('problems' in loaded).toBe(refused);
    if (!('problems' in loaded)) return;
    expect(loaded.problems[0]).toMatchObject({ line: 3, path: 'notify.chat.webhook' });
    expect(loaded.problems[0]!.message).not.toContain(url);
    expect(loadForms(dir)).toHaveProperty('forms');
  },
);

test('a directory that is not there leaves every form unknown, and says so', () => {
  const loaded = loadForms('/nowhere/forms');
  expect(loaded).toMatchObject({ forms: {}, notes: [{ file: '/nowhere/forms' }] });
});

test.each<[Record<string, string>, string]>([
  [
    { 'f.yaml': 'id: Form\nfields: {a: {type: string}}' },
    'f.yaml:1:5 id must be a form id: lower-case letters, digits, _ and -, a letter first, not "Form" / write for example `id: contact`',
  ],
  [
    { 'f.yaml': 'fields: {a: {type: string}}' },
    'f.yaml:1:1 the key "id" is missing / add `id: contact` (a form id: lower-case letters, digits, _ and -, a letter first)',
  ],
  [{ 'f.yml': '' }, 'f.yml only .yaml files are read'],
  [form('fields: {}'), 'f.yaml:2:9 a form needs a field / declare at least one'],
  [
    form(`fields: {${Array.from({ length: 101 }, (_, at) => `f${at}: {type: string}`).join(', ')}}`),
    'a form takes at most 100 fields',
  ],
  [form('filds: {}'), 'f.yaml:2:1 unknown key "filds" / did you mean "fields"?'],
  [form('fields: {_a: {type: string}}'), '"_a" is not a valid name here'],
  [
    form('fields: {a: {type: string}}\nhoneypot: a'),
    'f.yaml:3:11 the honeypot "a" is a field too / choose a name that no person fills in',
  ],
  [
    form('fields: {altcha: {type: string}}\ncaptcha: altcha'),
    'f.yaml:3:10 "altcha" is the field of the captcha\'s answer / give the field of that name another one',
  ],
  [
    form('fields: {a: {type: string}}\ncaptcha: turnstile'),
    'captcha must be altcha, or a map with the keys provider and difficulty, not',
  ],
  [
    form('fields: {a: {type: string}}\ncaptcha: {provider: altcha, difficulty: 1}'),
    'difficulty must be a whole number from 1000 to 1000000',
  ],
  [
    form('fields: {a: {type: string}, b: {type: email}}\nnotify: {email: {to: x@y.z, reply_to_field: a}}'),
    'f.yaml:3:45 "a" is no field of type email / did you mean "b"?',
  ],
  [
    form('fields: {a: {type: string}}\nnotify: {email: {to: "x@y.z\\r\\nBcc: e@v.il"}}'),
    'f.yaml:3:22 to must be a mail address or a list of them',
  ],
  [
    form('fields: {a: {type: string}}\nnotify: {chat: {webhook: nope}}'),
    'f.yaml:3:26 webhook must be an http or https URL, not what is written there',
  ],
  [
    form('fields: {a: {type: integer}, mail: {type: email}}\nperson: mial'),
    'f.yaml:3:9 "mial" is no field of type email or string / did you mean "mail"?',
  ],
  [form('fields: {a: {type: integer}}\nperson: a'), 'f.yaml:3:9 "a" is no field of type email or string'],
  [form('fields: {a: {type: string}}\nretention: forever'), 'f.yaml:3:12 retention must be a duration above zero'],
  [
    field('{type: text}'),
    'f.yaml:2:20 type must be one of string, integer, number, boolean, date, email, url, enum, file, not "text"',
  ],
  [field('{type: enum}'), 'f.yaml:2:10 an enum field needs its values / add `enum: [first, second]`'],
  [
    field('{type: date, min: 1}'),
    'f.yaml:2:31 min does not apply to type date / remove it, or change the type: min goes with integer, number',
  ],
  [field('{type: string, min_length: 5, max_length: 2}'), 'f.yaml:2:40 min_length 5 is above max_length 2 / swap them'],
  [field('{type: string, pattern: "(?=x)"}'), 'f.yaml:2:37 pattern is no RE2 expression'],
  [field('{type: string, format: phone}'), 'f.yaml:2:36 format must be one of email, url, date, uuid, not "phone"'],
])('%o', (files, expected) => expect(bad(files).join('\n')).toContain(expected));

test('a form declared twice names both places', () => {
  const text = 'id: f\nfields: {a: {type: string}}';
  expect(bad({ 'a.yaml': text, 'b.yaml': text })[0]).toMatch(
    /^b\.yaml:1:5 the form "f" is declared twice \/ give it another id \(the other is at .*a\.yaml:1:1\)$/,
  );
});

test('a form names the tenant that gets its submissions', () => {
  const { loaded } = load(form('fields: {a: {type: string}}\ntenant: acme:desk:dev:main\n'));
  expect('forms' in loaded && loaded.forms['f']?.tenant).toBe('acme:desk:dev:main');
  expect(bad(form('fields: {a: {type: string}}\ntenant: acme:desk\n'))).toEqual([
    expect.stringContaining('customer:product:env:tenant'),
  ]);
  expect(bad(form('fields: {a: {type: string}, cv: {type: file}}\ntenant: acme:desk:dev:main\n'))).toEqual([
    expect.stringContaining('files go to no tenant, and the field "cv" is one'),
  ]);
});
