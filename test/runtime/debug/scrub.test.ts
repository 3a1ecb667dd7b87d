import { expect, test } from 'vitest';
import { loadPlatformText } from '#config/load.ts';
import { scrubber, withoutCallers } from '#runtime/debug/scrub.ts';

const TOKEN = 'a token "with" quotes/and+signs';
const loaded = loadPlatformText(`bootstrap: { token: '${TOKEN}' }\n`, 'p.yaml', { env: {} });
if ('problems' in loaded) throw new Error('the platform loads');
const scrub = scrubber(loaded.platform);

test.each([
  ['a secret of the file', `token ${TOKEN} here`],
  ['a secret within JSON', JSON.stringify({ token: TOKEN })],
  ['a secret within a URL', `/x?token=${encodeURIComponent(TOKEN)}`],
  ['a mail address', 'to ada.l+x@mail.example.org, not taken'],
  ['a PASETO', 'v4.public.eyJzdWIiOiJ4In0abcdef'],
  ['a JWT', 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl'],
  ['a header', 'Authorization: ApiKey 01ABC.secretsecret'],
  ['a private key', '-----BEGIN PRIVATE KEY-----\nMC4CAQAw\n-----END PRIVATE KEY-----'],
])('%s is masked', (_, text) => {
  const clean = scrub(text);
  expect(clean).toContain('********');
  for (const secret of [TOKEN, 'ada.l', 'mail.example', 'c2lnbmF0dXJl', 'secretsecret', 'MC4CAQAw', 'eyJzdWIi'])
    expect(clean).not.toContain(secret);
});

test('what is no secret stays', () => {
  const text = 'skep_requests_total{service="data",status="2xx"} 7 tenant acme:shop:dev:main 127.0.0.1:9098 v22.23.3';
  expect(scrub(text)).toBe(text);
});

test('addresses of callers in log lines are masked', () => {
  expect(withoutCallers('{"source_ip":"203.0.113.7","form_id":"a"}')).toBe('{"source_ip":"********","form_id":"a"}');
});
