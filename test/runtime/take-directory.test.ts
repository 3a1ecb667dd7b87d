/** A start takes its directory once a command that looks into it has let it go. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { lockDirectory } from '#storage/lock.ts';
import { takeDirectory } from '#runtime/take-directory.ts';
import { platformOf } from '#test/kit/platform-of.ts';
import { writePlatformFile } from '#test/kit/platform-file.ts';

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

test('a directory that another process has for a moment is waited for, and one that it keeps is refused', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'skep-take-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const platform = platformOf(writePlatformFile(dir));
  mkdirSync(platform.storage.dir);
  const looking = await lockDirectory(platform.storage.dir);
  const taken = takeDirectory(platform, log);
  await new Promise((resolve) => setImmediate(resolve));
  looking.release();
  const { unlock } = await taken;
  await expect(takeDirectory(platform, log)).rejects.toThrow('is in use by another skep');
  unlock();
});
