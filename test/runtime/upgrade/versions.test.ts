import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { FORMAT } from '#storage/format.ts';
import { examineVersions } from '#runtime/upgrade/versions.ts';

/** A directory whose file `format` says this; without the file where it is null. */
function served(format: object | null): string {
  const dir = mkdtempSync(join(tmpdir(), 'skep-upgrade-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  mkdirSync(join(dir, 'shards'));
  if (format !== null) writeFileSync(join(dir, 'format'), JSON.stringify(format));
  return dir;
}

const of = (format: object | null, written = {}) =>
  Object.fromEntries(examineVersions(served(format), '9.0.0', written).map((one) => [one.check, one]));

test('a directory that no skep has served has nothing to upgrade', () => {
  const dir = mkdtempSync(join(tmpdir(), 'skep-upgrade-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  expect(examineVersions(dir, '9.0.0')).toMatchObject([{ state: 'ok', detail: expect.stringContaining('nothing') }]);
});

test('the same format and records: nothing is migrated, and the old version may come back', () => {
  const found = of({ format: FORMAT, skep: '8.1.0' });
  expect(found['served by']).toMatchObject({ state: 'ok', detail: 'skep 8.1.0; this is skep 9.0.0' });
  expect(found['records']).toMatchObject({ state: 'ok', detail: expect.stringContaining('nothing is migrated') });
  expect(found['way back']).toMatchObject({ state: 'ok', detail: expect.stringContaining('skep 8.1.0 opens') });
});

test('a table with a newer record is named with both versions, and there is no way back but the backup', () => {
  const found = of({ format: FORMAT, skep: '8.1.0', records: { 11: 2 } }, { 11: 3 });
  expect(found['records']).toMatchObject({ state: 'warning', detail: expect.stringMatching(/^user: version 2 .* 3 /) });
  expect(found['way back']).toMatchObject({ state: 'warning', mend: expect.stringContaining('restore') });
});

test('a record that this version does not read is a fault', () => {
  const found = of({ format: FORMAT, skep: '9.5.0', records: { 11: 2, 12: 3 } }, { 11: 2 });
  expect(found['records']).toMatchObject({
    state: 'fault',
    detail: 'user_login: the directory may hold version 3, this version reads up to 1',
  });
});

test('a newer format, and one that cannot be read, are faults with both versions', () => {
  expect(of({ format: FORMAT + 1, skep: '10.0.0' })).toEqual({
    format: expect.objectContaining({ state: 'fault', mend: expect.stringContaining('start skep 10.0.0 or newer') }),
  });
  expect(of({ format: 'one' })['format']).toMatchObject({ state: 'fault' });
});

test('0.1.0 has no file format, and does not come back', () => {
  const found = of(null);
  expect(found['served by']!.detail).toMatch(/^skep 0\.1\.0/);
  expect(found['way back']).toMatchObject({ state: 'warning', detail: expect.stringContaining('not tested') });
});
