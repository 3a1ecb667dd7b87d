/** `storage.journal` of the platform file, and what does not go together with a log in a database: docs/contract/platform.md §6. */
import { expect, test } from 'vitest';
import { hasCopies, hasLog, isLogSealed } from '#config/journal-problems.ts';
import { logServers } from '#config/log-servers.ts';
import { settingsOf } from '#config/settings.ts';
import { bad, good } from './load-text.ts';

const URL_TEXT = 'postgres://skep:hidden@db.internal/log';
const LOG = `driver: postgres, url: "${URL_TEXT}"`;

test('files acknowledge unless a database is named', () => {
  expect(hasLog(good(''))).toBe(false);
  const platform = good(`storage: {journal: {${LOG}}}`);
  expect([hasLog(platform), platform.storage.journal]).toEqual([
    true,
    { driver: 'postgres', url: URL_TEXT, replication: 'strict', seal: 'none', snapshots: { every: '6h0m0s' } },
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
    seal: 'none',
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

test('a node on a log has a lease, by which its reads are bounded unless the file says otherwise', () => {
  expect(good(`storage: {journal: {${LOG}}}`).cluster).toEqual({
    lease: '15s',
    reads: 'lease',
    files: 'own',
    carry: false,
  });
  const platform = good(`cluster: {node: n1, lease: 5s, reads: local}\nstorage: {journal: {${LOG}}}`);
  expect(platform.cluster).toEqual({ node: 'n1', lease: '5s', reads: 'local', files: 'own', carry: false });
});

test('submissions of forms lie in the database of the log, unless the file says otherwise, and without a log nowhere else', () => {
  const backendOf = (text: string): string => good(text).intake.storage.backend;
  expect(backendOf(`storage: {journal: {${LOG}}}`)).toBe('postgres');
  expect(backendOf(`intake: {storage: {backend: embedded}}\nstorage: {journal: {${LOG}}}`)).toBe('embedded');
  expect(backendOf('hosts: 1')).toBe('embedded');
  const sealed =
    'vault: {enabled: true, profile: development, backend: {kind: postgres}, seal: {current: {env: KEY}}}\n';
  expect(backendOf(`${sealed}storage: {journal: {${LOG}, seal: vault}}`)).toBe('postgres');
  expect(bad('intake: {storage: {backend: postgres}}').join()).toContain('and there is no log');
});

test('a URL may name several servers, of which the primary is meant', () => {
  const hrefs = (url: string) => logServers(url)?.map(({ href }) => href) ?? null;
  expect(
    hrefs('postgres://skep:p%40w@a:5432,b,[::1]:5433/log?sslmode=require&target_session_attrs=read-write'),
  ).toEqual([
    'postgres://skep:p%40w@a:5432/log?sslmode=require',
    'postgres://skep:p%40w@b/log?sslmode=require',
    'postgres://skep:p%40w@[::1]:5433/log?sslmode=require',
  ]);
  expect(hrefs(URL_TEXT)).toEqual([URL_TEXT]);
  expect(hrefs('postgresql://a,b/log?target_session_attrs=primary')).toEqual([
    'postgresql://a/log',
    'postgresql://b/log',
  ]);
  for (const url of [
    'postgres://a,/log',
    'postgres://a,b:x/log',
    'mysql://a,b/log',
    'a,b',
    'postgres:///log',
    `${URL_TEXT}?target_session_attrs=any`,
  ])
    expect(hrefs(url), url).toBe(null);
});

test('a log is sealed by keys of a vault that every node reaches, with a root key', () => {
  const root = 'profile: development, seal: {current: {env: KEY}}';
  const vault = (more: string): string => `vault: {enabled: true, ${more}}\nstorage: {journal: {${LOG}, seal: vault}}`;
  expect(isLogSealed(good(vault(`${root}, backend: {kind: postgres}`)))).toBe(true);
  expect(isLogSealed(good(`storage: {journal: {${LOG}}}`))).toBe(false);
  for (const [text, message] of [
    [`storage: {journal: {${LOG}, seal: vault}}`, 'and there is none'],
    [vault(root), 'in lmdb on this machine'],
    [vault('profile: development, backend: {kind: postgres}'), 'and the vault has none'],
    [vault('profile: development, seal: {kind: shamir}, backend: {kind: postgres}'), 'and the vault has none'],
    ['storage: {journal: {seal: vault}}', 'files, which are not sealed'],
  ] as const)
    expect(bad(text).join(), text).toContain(message);
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
  ['cluster: {lease: 10s}', 'the journal lies in files, which one node alone has'],
  [`cluster: {lease: 2s}\nstorage: {journal: {${LOG}}}`, 'lease must be a duration from 3s to 1m'],
  [`cluster: {node: "a b"}\nstorage: {journal: {${LOG}}}`, 'node must be a name of letters'],
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
  ['storage: {history: 24h}', 'a history is kept beside copies of shards of a log, and none are made'],
  [`storage: {history: 24h, journal: {${LOG}}}`, 'a history is kept beside copies of shards of a log'],
  [`storage: {history: 1m, journal: {${LOG}, snapshots: {to: /copies}}}`, 'history must be a duration from 1h'],
  [`storage: {journal: {${LOG}, replication: two}}`, 'replication must be one of strict, managed'],
])('%s is refused', (text, message) => {
  const [problem, ...others] = bad(text);
  expect(problem).toContain(message);
  expect([others, problem!.includes('hidden')]).toEqual([[], false]);
});
