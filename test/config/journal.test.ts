/** `storage.journal` of the platform file, and what does not go together with a log in a database: docs/contract/platform.md §6. */
import { expect, test } from 'vitest';
import { hasCopies, hasLog } from '#config/journal-problems.ts';
import { settingsOf } from '#config/settings.ts';
import { bad, good } from './load-text.ts';

const URL_TEXT = 'postgres://skep:hidden@db.internal/log';
const LOG = `driver: postgres, url: "${URL_TEXT}"`;

test('files acknowledge unless a database is named', () => {
  expect(hasLog(good(''))).toBe(false);
  const platform = good(`storage: {journal: {${LOG}}}`);
  expect([hasLog(platform), platform.storage.journal]).toEqual([
    true,
    { driver: 'postgres', url: URL_TEXT, replication: 'strict', snapshots: { every: '6h0m0s' } },
  ]);
  expect(hasCopies(platform)).toBe(false);
});

test('copies of shards go to a directory or a bucket, and the keys of the bucket are secrets', () => {
  const to = good(`storage: {journal: {${LOG}, snapshots: {to: /copies, every: 1h}}}`);
  expect([hasCopies(to), to.storage.journal.snapshots]).toEqual([true, { to: '/copies', every: '1h' }]);
  const bucket = 'url: "s3:443", bucket: copies, accesskey: seen, secretkey: hidden';
  const s3 = good(`storage: {journal: {${LOG}, snapshots: {s3: {${bucket}}}}}`);
  expect([hasCopies(s3), s3.storage.journal.snapshots.s3]).toMatchObject([true, { prefix: '', region: 'us-east-1' }]);
  expect(JSON.stringify(settingsOf(s3))).not.toContain('hidden');
});

test('the URL may come from a variable, and is a secret', () => {
  const text = 'storage: {journal: {driver: postgres, url: "${SKEP_LOG_URL}", replication: managed}}';
  const platform = good(text, { env: { SKEP_LOG_URL: URL_TEXT } });
  expect(platform.storage.journal).toEqual({
    driver: 'postgres',
    url: URL_TEXT,
    replication: 'managed',
    snapshots: { every: '6h0m0s' },
  });
  const settings = settingsOf(platform);
  expect(settings.find(({ key }) => key === 'storage.journal.url')).toMatchObject({
    secret: true,
    value: null,
    set: true,
  });
  expect(JSON.stringify(settings)).not.toContain('hidden');
});

test.each([
  [`storage: {journal: {url: "${URL_TEXT}"}}`, 'the journal lies in files, and a database is named'],
  ['storage: {journal: {driver: postgres}}', 'the log has no database'],
  ['storage: {journal: {driver: postgres, url: "mysql://skep:hidden@db/log"}}', 'it is not the URL of a PostgreSQL'],
  [
    'vault: {enabled: true, profile: development}\nstorage: {journal: {driver: postgres, url: "vault:log"}}',
    'it is not the URL of a PostgreSQL',
  ],
  [`storage: {mark: /mnt/mark, journal: {${LOG}}}`, 'the log itself tells an older copy of the directory'],
  [`backups: {to: /backups}\nstorage: {journal: {${LOG}}}`, 'sets of the whole node are not made'],
  [
    'storage: {journal: {snapshots: {to: /copies}}}',
    'the journal lies in files, and copies of its shards are asked for',
  ],
  [
    `storage: {dir: /data, journal: {${LOG}, snapshots: {to: /data/copies}}}`,
    'the copies would be lost with the data directory',
  ],
  [
    `storage: {journal: {${LOG}, snapshots: {to: /copies, s3: {url: "s3:443", bucket: copies, accesskey: a, secretkey: b}}}}`,
    'copies of shards go to one place, and two are named',
  ],
  [`storage: {journal: {${LOG}, snapshots: {every: 1s}}}`, 'every must be'],
  [`storage: {journal: {${LOG}, replication: two}}`, 'replication must be one of strict, managed'],
])('%s is refused', (text, message) => {
  const [problem, ...others] = bad(text);
  expect(problem).toContain(message);
  expect([others, problem!.includes('hidden')]).toEqual([[], false]);
});
