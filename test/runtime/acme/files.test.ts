/** What lies on the disk: pairs that are whole or put aside, what is remembered, and modes. */
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { readTlsPairs } from '#runtime/door/tls-pair.ts';
import { gatewayTls } from '#runtime/door/gateway-tls.ts';
import { attemptsOf, recall, remember } from '#runtime/acme/memory.ts';
import { FRESH, type Attempts } from '#runtime/acme/next-action.ts';
import { accountKey, lifeIn, preparePairs } from '#runtime/acme/pairs.ts';
import { fallbackPair, keyPem } from '#runtime/acme/paper.ts';
import { fallbackPlace, pairPlace } from '#runtime/acme/places.ts';
import { writePrivately } from '#runtime/acme/private-file.ts';
import { examineOrdered } from '#runtime/doctor/ordered.ts';
import { platformOf } from '#test/kit/platform-of.ts';
import type { Platform } from '#config/platform.ts';

const SITE = 'app.example.org';
const NOW = Date.now();
let dir: string;
let platform: Platform;
let said: string[];
const log = {
  info: () => undefined,
  warn: (_: object, message: string) => void said.push(message),
  error: (_: object, message: string) => void said.push(message),
};

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'skep-acme-files-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  said = [];
  const file = join(dir, 'platform.yaml');
  writeFileSync(
    file,
    `storage: { dir: ${dir} }
hives: { tenant: [{ key: "acme:desk:prod:main", meta: { localdir: p } }] }
gateway:
  sites: { ${SITE}: { tenant: "acme:desk:prod:main" } }
  tls: { acme: { directory: "https://a.example.org/dir", http_bind: "127.0.0.1:0", agree_terms: true } }
`,
  );
  platform = platformOf(file);
});

test('a first start has a pair to show; the pair of the site is left out until it is there', async () => {
  await preparePairs(platform, log, NOW);
  const fallback = readFileSync(fallbackPlace(dir), 'utf8');
  const tls = gatewayTls(platform)!;
  expect((await readTlsPairs(tls)).others).toEqual([]);
  await writePrivately(pairPlace(dir, SITE), await fallbackPair(NOW));
  await expect(readTlsPairs(tls)).rejects.toThrow('has no DNS name'); // it is read once it is there
  await preparePairs(platform, log, NOW);
  expect(readFileSync(fallbackPlace(dir), 'utf8')).toBe(fallback);
  expect(said).toEqual([]);
});

test('files are for the owner alone, whatever the umask is', async () => {
  const umask = process.umask(0o277);
  try {
    await writePrivately(join(dir, 'one.pem'), 'text');
  } finally {
    process.umask(umask);
  }
  expect(statSync(join(dir, 'one.pem')).mode & 0o777).toBe(0o600);
  await writePrivately(pairPlace(dir, SITE), 'text');
  expect(statSync(join(dir, 'acme', 'pairs')).mode & 0o777).toBe(0o700);
});

test.each([
  ['half of a file', (whole: string) => whole.slice(0, whole.length / 2)],
  ['nothing', () => ''],
  ['a key without its certificate', (whole: string) => whole.slice(0, whole.indexOf('-----BEGIN CERTIFICATE'))],
])('%s in the place of a pair is put aside, told, and does not keep the door from opening', async (_, damaged) => {
  await writePrivately(pairPlace(dir, SITE), damaged(await fallbackPair(NOW)));
  writeFileSync(`${pairPlace(dir, SITE)}.unfinished`, 'x');
  await preparePairs(platform, log, NOW);
  expect(lifeIn(pairPlace(dir, SITE))).toBeNull();
  expect(readdirSync(join(dir, 'acme', 'pairs'))).toEqual([`${SITE}.pem.damaged`]);
  expect(said.join()).toContain('the certificate of a site cannot be used: it was put aside, and a new one is ordered');
  expect((await readTlsPairs(gatewayTls(platform)!)).others).toEqual([]);
});

test('the key of an account is kept, and another authority has another', async () => {
  const first = await accountKey(dir, 'https://a.example.org/dir');
  expect(keyPem(await accountKey(dir, 'https://a.example.org/dir'))).toBe(keyPem(first));
  expect(keyPem(await accountKey(dir, 'https://b.example.org/dir'))).not.toBe(keyPem(first));
});

const FAILED: Attempts = {
  failures: 2,
  notBeforeMs: NOW + 60_000,
  failure: { atMs: NOW, what: 'it is down', mend: 'wait' },
};

test('attempts are remembered, and a file that cannot be understood counts as none', async () => {
  await remember(
    dir,
    new Map([
      [SITE, FAILED],
      ['b.example.org', FRESH],
    ]),
  );
  const found = await recall(dir, NOW);
  expect([attemptsOf(found, SITE), [...found.keys()]]).toEqual([FAILED, [SITE, 'b.example.org']]);
  const place = join(dir, 'acme', 'attempts.json');
  for (const text of ['', '{', '[]', 'null', '1', `{"${SITE}":{"failures":-1,"notBeforeMs":1}}`, `{"${SITE}":null}`]) {
    writeFileSync(place, text);
    expect([...(await recall(dir, NOW))], text).toEqual([]);
  }
  writeFileSync(place, `{"${SITE}":{"failures":1,"notBeforeMs":5,"failure":{"what":1}}}`);
  expect(attemptsOf(await recall(dir, NOW), SITE)).toEqual({ failures: 1, notBeforeMs: 5, failure: null });
});

test('the doctor says what is so of each name', async () => {
  const finding = async () => (await examineOrdered(platform, NOW))[0]!;
  expect(await finding()).toMatchObject({ state: 'ok', detail: 'there is none yet; a node that serves orders one' });
  await remember(dir, new Map([[SITE, FAILED]]));
  expect(await finding()).toMatchObject({
    state: 'fault',
    mend: 'wait',
    detail: expect.stringMatching(/2 in a row\): it is down/),
  });
  await writePrivately(pairPlace(dir, SITE), await fallbackPair(NOW));
  expect(await finding()).toMatchObject({
    state: 'warning',
    detail: expect.stringMatching(/^it ends at .* in 3649 days; the last/),
  });
  await remember(dir, new Map());
  expect(await finding()).toMatchObject({ check: `certificate ${SITE}`, state: 'ok' });
  expect((await examineOrdered(platform, NOW + 4000 * 24 * 60 * 60_000))[0]).toMatchObject({ state: 'fault' });
  expect(existsSync(pairPlace(dir, SITE))).toBe(true);
});
