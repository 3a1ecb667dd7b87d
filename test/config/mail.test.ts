/** `identity.mail` of the platform file. */
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { loadPlatformText } from '#config/load.ts';
import { MASK, redacted } from '#config/redact.ts';

const MAIL = (smtp: string, more = ''): string => `identity:
  mail:
    smtp: { host: smtp.example.org${smtp} }
    from: Shop <no-reply@shop.example>
    links: { reset: "https://shop.example/r?t={token}", magic_link: "https://{tenant}.shop.example/#{token}" }
${more}`;
const PLAIN = ', username: u, password: hunter2';

const load = (text: string) => loadPlatformText(text, 'p.yaml', { env: {}, cores: 2 });

function problems(text: string): string[] {
  const loaded = load(text);
  if (!('problems' in loaded)) return [];
  return loaded.problems.map(({ line, column, message }) => `${line}:${column} ${message}`);
}

test('defaults: port 587, TLS, a password; which is not shown', () => {
  const loaded = load(MAIL(PLAIN));
  if ('problems' in loaded) throw new Error('problems');
  const { smtp } = loaded.platform.identity.mail!;
  expect(smtp).toEqual({
    host: 'smtp.example.org',
    port: 587,
    starttls: true,
    auth: 'plain',
    username: 'u',
    password: 'hunter2',
  });
  const shown = stringify(redacted(loaded.platform));
  expect(shown).not.toContain('hunter2');
  expect(shown).toContain(`password: "${MASK}"`);
  expect(load('')).toMatchObject({ platform: { identity: {} } });
});

test.each([
  [
    MAIL(''),
    ['3:11 auth: plain needs a username', '3:11 auth: plain needs a password'].map((text) =>
      text.replace('3:11', '3:5'),
    ),
  ],
  [MAIL(', auth: none, username: u'), ['3:59 auth: none sends no username']],
  [MAIL(`${PLAIN}, starttls: false`), ['3:79 the password would go to smtp.example.org in clear text']],
  [MAIL(`${PLAIN}, starttls: false, port: 465`), []],
  [MAIL(', auth: none, starttls: false'), []],
  [MAIL(`${PLAIN}, starttls: false`).replace('smtp.example.org', '127.0.0.1'), []],
  [MAIL(PLAIN).replace('Shop <no-reply@shop.example>', '"a\\nBcc: x@y"'), ['4:11']],
  [MAIL(PLAIN).replace('Shop <no-reply@shop.example>', 'no-address'), ['4:11']],
  [MAIL(PLAIN).replace('t={token}', 't='), ['5:21']],
  [MAIL(PLAIN).replace('{tenant}', '{user}'), ['5:69']],
  [MAIL(PLAIN).replace('https://shop', 'mailto://shop'), ['5:21']],
  [MAIL(PLAIN).replace('magic_link', 'magiclink'), ['5:5', '5:57']],
])('%s', (text, expected) => {
  const found = problems(text);
  expect(found).toHaveLength(expected.length);
  expected.forEach((start, at) => expect(found[at]).toContain(start));
});

const MAILBOX = (mail: string, more = 'vault: { profile: development }\n'): string =>
  `identity:
  mail: { ${mail}, from: a@b.example, links: { reset: "https://s.example/{token}", magic_link: "https://s.example/{token}" } }
${more}`;
const DEVELOPMENT = 'vault: { profile: development }\n';

test('the mailbox of a node in development', () => {
  expect(load(MAILBOX('mailbox: true'))).toMatchObject({ platform: { identity: { mail: { mailbox: true } } } });
});

test.each([
  ['production', MAILBOX('mailbox: true', ''), ['2:20 the mailbox is for development']],
  [
    'a mail server besides',
    MAILBOX('mailbox: true, smtp: { host: s, auth: none }'),
    ['2:26 the mailbox keeps every mail: no server gets one'],
  ],
  ['neither of both', MAILBOX('mailbox: false'), ['2:3 mails need a server']],
  [
    'no operations listener',
    MAILBOX('mailbox: true', `${DEVELOPMENT}listeners: { operations: false }\n`),
    ['2:20 the operations listener shows the mailbox, and is off'],
  ],
  [
    'operations elsewhere',
    MAILBOX('mailbox: true', `${DEVELOPMENT}listeners: { operations: { bind: 10.0.0.1:9098 } }\n`),
    ['2:20 the operations listener on 10.0.0.1 would show mails to other machines'],
  ],
])('the mailbox is refused: %s', (_, text, expected) => {
  expect(problems(text)).toEqual(expected);
});
