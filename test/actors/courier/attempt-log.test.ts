/** What the log says of attempts that failed. */
import { expect, test } from 'vitest';
import { logMailAttempt, logWebhookAttempt } from '#actors/courier/attempt-log.ts';
import { NotTaken } from '#actors/courier/send-webhook.ts';
import type { Log } from '#actors/host/activation.ts';

type Line = readonly [level: string, facts: object, message: string];

function listen(use: (log: Log) => void): Line[] {
  const lines: Line[] = [];
  const at = (level: string) => (facts: object, message: string) => void lines.push([level, facts, message]);
  use({ info: at('info'), warn: at('warn'), error: at('error') });
  return lines;
}

const delivery = { id: 'D', tenant: 'a:b:c:d', url: 'https://user:pass@hooks.example:8443/path?key=secret' };

test('a webhook: delivery, tenant, host, attempt and status, nothing else of its URL, and no warning', () => {
  const lines = listen((log) =>
    logWebhookAttempt(log, delivery, { attempt: 2, final: false, error: new NotTaken(503) }),
  );
  const facts = { delivery: 'D', tenant: 'a:b:c:d', host: 'hooks.example:8443', attempt: 2, status: 503 };
  expect(lines).toEqual([['info', facts, 'a webhook was not taken']]);
});

test('a webhook without an answer: the error in place of the status', () => {
  const error = new Error('connect ECONNREFUSED');
  const [[, facts]] = listen((log) => logWebhookAttempt(log, delivery, { attempt: 1, final: false, error })) as [Line];
  expect(facts).toMatchObject({ attempt: 1, error: 'connect ECONNREFUSED' });
});

test.each([
  ['550 5.1.1 <ada@example.org>: no such user', '550 5.1.1 <address> no such user'],
  ['rejected: "ada lovelace"@example.org, ada+x@example.org', 'rejected: <address> <address>'],
  ['connect ECONNREFUSED 127.0.0.1:25', 'connect ECONNREFUSED 127.0.0.1:25'],
])('a mail names its tenant, and no address: %s', (said, shown) => {
  const error = new Error(said);
  const lines = listen((log) =>
    logMailAttempt(log, { id: 'M', tenant: 'a:b:c:d' }, { attempt: 1, final: true, error }),
  );
  const facts = { mail: 'M', tenant: 'a:b:c:d', attempts: 1, final: true, error: shown };
  expect(lines).toEqual([['warn', facts, 'mail not taken']]);
});

test('a notice of intake is no tenant’s', () => {
  const error = new Error('no');
  const [[, facts]] = listen((log) => logMailAttempt(log, { id: 'N' }, { attempt: 1, final: false, error })) as [Line];
  expect(facts).not.toHaveProperty('tenant');
});
