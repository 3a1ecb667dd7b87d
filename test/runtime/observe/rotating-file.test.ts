/** docs/contract/intake.md §2.4, `logging.file`. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { RotatingFile } from '#runtime/observe/rotating-file.ts';

const KEEP = { maxSizeMb: 1, maxBackups: 2, maxAgeDays: 30, compress: true };
let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'skep-log-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test('a full file is renamed and compressed, and only so many are kept', async () => {
  const path = join(dir, 'logs', 'intake.log');
  const file = new RotatingFile(path, KEEP);
  const line = `${'x'.repeat(1023)}\n`;
  for (let round = 0; round < 4; round++) {
    for (let i = 0; i < 1100; i++) file.write(line);
    await expect.poll(() => readdirSync(join(dir, 'logs')).length).toBeGreaterThan(Math.min(round, 1) + 1);
  }
  const backups = (): string[] => readdirSync(join(dir, 'logs')).filter((name) => /^intake-.*\.log\.gz$/.test(name));
  await expect.poll(() => backups().length).toBe(2);
});

test('what is too old goes; a file that was moved away is opened anew', async () => {
  const logs = join(dir, 'logs');
  const path = join(logs, 'intake.log');
  mkdirSync(logs);
  const old = join(logs, 'intake-2020-01-01T00-00-00-000.1.log.gz');
  writeFileSync(old, '');
  utimesSync(old, 0, 0);
  writeFileSync(join(logs, 'other.log'), '');
  utimesSync(join(logs, 'other.log'), 0, 0);
  const file = new RotatingFile(path, KEEP);
  file.write('one\n');
  await expect.poll(() => readFileSync(path, 'utf8')).toBe('one\n');
  await expect
    .poll(() => readdirSync(logs).sort())
    .toEqual(['intake.log', 'other.log'].sort().concat(readdirSync(logs).filter((name) => name.startsWith('.'))));
  renameSync(path, `${path}.moved`);
  file.reopen();
  file.write('two\n');
  await expect.poll(() => readFileSync(path, 'utf8')).toBe('two\n');
});
