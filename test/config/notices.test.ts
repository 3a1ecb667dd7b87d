import { expect, test } from 'vitest';
import { loadPlatformText } from '#config/load.ts';

const EMAIL = 'email: { from: forms@example.org, smtp: { host: mail.example.org';

function problemsOf(text: string, env: Record<string, string> = {}): string[] {
  const loaded = loadPlatformText(text, 'intake.yaml', { env, service: 'intake' });
  return 'problems' in loaded ? loaded.problems.map(({ message }) => message) : [];
}

test.each([
  [`${EMAIL} } }`, ['auth: plain needs smtp.username', 'auth: plain needs smtp.password']],
  [
    `${EMAIL}, auth: xoauth2, username: u } }`,
    [
      'auth: xoauth2 needs smtp.oauth.token_url',
      'auth: xoauth2 needs smtp.oauth.client_id',
      'auth: xoauth2 needs smtp.oauth.client_secret',
    ],
  ],
  [`${EMAIL}, username: u, password: p, starttls: false } }`, ['the login would go to mail.example.org in clear text']],
  [`${EMAIL}, username: u, password: p, starttls: false, port: 465 } }`, []],
  [`${EMAIL}, auth: none } }`, []],
  ['email: { smtp: { host: mail.example.org, auth: none } }', ['email.from must be the address of the sender']],
  ['email: { provider: webapi, from: a@example.org, webapi: { api_key: k } }', ['the mail API needs its URL']],
  ['email: { provider: webapi }', []],
])('%s', (lines, messages) => {
  expect(problemsOf(`notify: { enabled: true }\n${lines}\n`)).toEqual(messages);
  expect(problemsOf(`${lines}\n`)).toEqual([]);
});

test('secrets of the environment count', () => {
  const text = `notify: { enabled: true }\n${EMAIL}, username: u } }\n`;
  expect(problemsOf(text, { EDGE_INTAKE_SMTP_PASSWORD: 'p' })).toEqual([]);
});

const NEVER = (key: string) => `${key} can never be reached: plain HTTP and private addresses go to named hosts only`;

test.each([
  ['chat: { default_webhook: "http://chat.example.org/in" }', [NEVER('chat.default_webhook')]],
  ['chat: { default_webhook: "https://10.0.0.7/in" }', [NEVER('chat.default_webhook')]],
  ['chat: { default_webhook: "https://chat.example.org/in" }', []],
  [
    'email: { provider: webapi, from: a@example.org, webapi: { api_key: k, url: "http://127.0.0.1:1/" } }',
    [NEVER('email.webapi.url')],
  ],
  [
    `${EMAIL}, auth: xoauth2, username: u, oauth: { token_url: "http://[::1]/t", client_id: c, client_secret: s } } }`,
    [NEVER('email.smtp.oauth.token_url')],
  ],
])('an address that no notice can reach is refused, unless the file allows its host: %s', (lines, messages) => {
  const allowed = 'outbound: { allow_private: [chat.example.org, 10.0.0.0/8, 127.0.0.1:1, "::1"] }';
  expect(problemsOf(`notify: { enabled: true }\n${lines}\n`)).toEqual(messages);
  expect(problemsOf(`notify: { enabled: true }\n${lines}\n${allowed}\n`)).toEqual([]);
  expect(problemsOf(`${lines}\n`)).toEqual([]);
});

test('the service alone: no host of tenants, and no listener but its own', () => {
  const loaded = loadPlatformText('http: { bind: 127.0.0.1:9000 }', 'intake.yaml', { env: {}, service: 'intake' });
  if ('problems' in loaded) throw new Error('it does not load');
  const { hosts, service, listeners } = loaded.platform;
  expect([hosts, service]).toEqual([0, 'intake']);
  expect(Object.entries(listeners).filter(([, bind]) => bind !== null)).toEqual([['intake', '127.0.0.1:9000']]);
});
