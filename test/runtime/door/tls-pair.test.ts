/** What is read of certificates: names, and the news that the log tells. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { newsOf, readTlsPairs } from '#runtime/door/tls-pair.ts';

function pair(subject: string, alternatives: string) {
  const dir = mkdtempSync(join(tmpdir(), 'skep-pair-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const files = { keyFile: join(dir, 'key'), certFile: join(dir, 'cert') };
  execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', subject, '-addext', `subjectAltName=${alternatives}`, '-keyout', files.keyFile, '-out', files.certFile], { stdio: 'ignore' }); // prettier-ignore
  return files;
}

test('names are those of hosts, in lower case; addresses are none', async () => {
  const { first } = await readTlsPairs(
    pair('/O=Shop/CN=shop', 'DNS:Shop.Test,IP:127.0.0.1,DNS:*.shop.test,URI:spiffe://a/b'),
  );
  expect([first.names, first.news.subject]).toEqual([['shop.test', '*.shop.test'], 'O=Shop, CN=shop']);
});

test('a certificate without a subject, as public authorities issue it, is read and told by its names', async () => {
  const pairs = await readTlsPairs({ ...pair('/', 'DNS:a.test'), others: [pair('/', 'DNS:b.test')] });
  expect(pairs.first.news.subject).toBe('');
  expect(newsOf(pairs)).toMatchObject({ subject: '', others: [`b.test until ${pairs.others[0]!.news.until}`] });
});
