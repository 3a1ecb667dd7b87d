import { spawn } from 'node:child_process';
import { expect, it } from 'vitest';
import { DirectoryHeld, lockDirectory } from '#storage/lock.ts';
import { place } from './place.ts';

const HOLDER = `
  import { lockDirectory } from '#storage/lock.ts';
  await lockDirectory(process.argv[1]);
  console.log('held');
  setInterval(() => undefined, 1000);
`;

it('gives a directory to one process, names the holder, and lets go when it is killed', async () => {
  const dataDir = place();
  const holder = spawn(process.execPath, ['--input-type=module', '-e', HOLDER, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((resolve) => holder.stdout.once('data', resolve));
  const refusal = await lockDirectory(dataDir).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(DirectoryHeld);
  expect(String(refusal)).toContain(`process ${holder.pid}`);
  const ended = new Promise((resolve) => holder.once('close', resolve));
  holder.kill('SIGKILL');
  await ended;
  (await lockDirectory(dataDir)).release();
});

it('holds within one process too, until it is released', async () => {
  const dataDir = place();
  const lock = await lockDirectory(dataDir);
  await expect(lockDirectory(dataDir)).rejects.toThrow(`process ${process.pid}`);
  lock.release();
  (await lockDirectory(dataDir)).release();
});
