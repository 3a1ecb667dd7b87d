/** `audit.backend` of the platform file: where records of audit logs are kept, and what does not go together with a database. */
import { expect, test } from 'vitest';
import { bad, good } from './load-text.ts';

const LOG = 'storage: {journal: {driver: postgres, url: "postgres://skep@db.internal/log"}}\n';

test('records lie in files unless the file says otherwise, and in the database of the log where it does', () => {
  expect(good(LOG).audit.backend.kind).toBe('files');
  expect(good(`${LOG}audit: {enabled: true, backend: {kind: postgres}}`).audit.backend.kind).toBe('postgres');
});

test.each([
  ['audit: {backend: {kind: postgres}}', 'set storage.journal: { driver: postgres'],
  [`${LOG}audit: {backend: {kind: etcd}}`, 'kind must be one of files, postgres'],
  [
    `${LOG}audit: {backend: {kind: postgres}, routing: [{log_id_pattern: "**", retention: 24h}]}`,
    'leave out retention, or audit.backend',
  ],
])('%s is refused, and told what to change', (text, mend) => {
  expect(bad(text).join('\n')).toContain(mend);
});
