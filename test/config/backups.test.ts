/** `backups` of the platform file: docs/contract/platform.md §5.1. */
import { describe, expect, test } from 'vitest';
import { hasBackups } from '#config/resolve-backups.ts';
import { bad, good } from './load-text.ts';

const S3 = '{url: "s3.example:443", bucket: sets, accesskey: a, secretkey: s}';

describe('what is taken', () => {
  test('without a place none are made', () => {
    const platform = good('');
    expect(hasBackups(platform)).toBe(false);
    expect(platform.backups).toMatchObject({ every: '1h0m0s', verify: '24h' });
    expect(platform.backups.keep).toEqual({ last: 3, hourly: 24, daily: 7, weekly: 5, monthly: 12 });
  });

  test('a directory, or a bucket', () => {
    expect(good('backups: {to: /backups}').backups.to).toBe('/backups');
    const { s3 } = good(`backups: {s3: ${S3}}`).backups;
    expect(s3).toMatchObject({ prefix: '', region: 'us-east-1', usessl: true });
  });
});

describe('what a start refuses', () => {
  test.each([
    ['{to: /backups, s3: {…}}', 'backups go to one place, and two are named'],
    ['{to: /data/backups}', 'the backups would be lost with the data directory'],
    ['{to: /}', 'the backups would be lost with the data directory'],
    ['{to: /backups, encrypt: {identity: k}}', 'an identity reads what is encrypted, and no recipient is named'],
    ['{to: /backups, every: 1s}', 'must be a duration from 5m'],
    ['{to: /backups, verify: never}', 'must be a duration in Go notation, or off'],
    ['{to: /backups, keep: {last: 0}}', 'must be a whole number from 1'],
    ['{to: /backups, encrypt: {recipients: [AGE-SECRET-KEY-1]}}', 'must be a recipient of age'],
  ])('%s', (backups, why) => {
    const text = `storage: {dir: /data}\nbackups: ${backups.replace('{…}', S3)}\n`;
    expect(JSON.stringify(bad(text))).toContain(why);
  });
});
