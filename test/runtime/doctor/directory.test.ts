import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { examineDirectory, nearestPlace } from '#runtime/doctor/directory.ts';

function folder(mode = 0o700): string {
  const dir = mkdtempSync(join(tmpdir(), 'skep-doctor-'));
  chmodSync(dir, mode);
  onTestFinished(() => rmSync(dir, { recursive: true }));
  return dir;
}

const states = (dir: string) => examineDirectory(dir).map(({ check, state }) => [check, state]);

test('a directory that is not there yet is made at the first start', () => {
  const dir = join(folder(), 'a', 'b');
  expect(examineDirectory(dir)).toEqual([
    { check: 'data directory', state: 'ok', detail: `${dir} is made at the first start`, mend: '' },
  ]);
  expect(nearestPlace(dir)).toBe(join(dir, '..', '..'));
});

test('a file in its place is a fault', () => {
  const file = join(folder(), 'data');
  writeFileSync(file, '');
  expect(examineDirectory(file)).toMatchObject([{ state: 'fault', detail: `${file} is not a directory` }]);
});

test('open to others: a warning that says how to close it', () => {
  const dir = folder(0o755);
  expect(examineDirectory(dir)).toMatchObject([{ state: 'warning', mend: `chmod 700 ${dir}` }, { state: 'ok' }]);
});

test('the format: of a newer skep a fault with both versions, of this one not', () => {
  const dir = folder();
  expect(states(dir)).toEqual([
    ['data directory', 'ok'],
    ['format', 'ok'],
  ]);
  writeFileSync(join(dir, 'format'), '{"format":1,"skep":"0.1.0"}');
  expect(examineDirectory(dir)[1]).toMatchObject({ state: 'ok', detail: '1, served last by skep 0.1.0' });
  writeFileSync(join(dir, 'format'), '{"format":99,"skep":"9.9.9"}');
  expect(examineDirectory(dir)[1]).toMatchObject({
    state: 'fault',
    detail: expect.stringMatching(/format 99, written by skep 9\.9\.9; this skep knows formats up to \d+/),
    mend: expect.stringMatching(/start skep 9\.9\.9 or newer/),
  });
  writeFileSync(join(dir, 'format'), 'nothing');
  expect(examineDirectory(dir)[1]).toMatchObject({ state: 'fault' });
});
