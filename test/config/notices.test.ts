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

test('the service alone: no host of tenants, and no listener but its own', () => {
  const loaded = loadPlatformText('http: { bind: 127.0.0.1:9000 }', 'intake.yaml', { env: {}, service: 'intake' });
  if ('problems' in loaded) throw new Error('it does not load');
  const { hosts, service, listeners } = loaded.platform;
  expect([hosts, service]).toEqual([0, 'intake']);
  expect(Object.entries(listeners).filter(([, bind]) => bind !== null)).toEqual([['intake', '127.0.0.1:9000']]);
});
