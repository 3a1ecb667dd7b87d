/** Checks of a production vault before it serves. Each error says what is wrong and how to mend it. */
import { closeSync, fsyncSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '#config/limits.ts';
import { makeDirectory } from '#storage/directory.ts';

/** Throws when the clock cannot be right: it is before this program's time, or far behind the newest time that the vault wrote. */
export function checkClock(nowMs: number, newestKnownMs: number): void {
  const said = new Date(nowMs).toISOString();
  if (nowMs < limits.vault.clockFloorMs)
    throw new Error(`the clock says ${said}, before this program existed\n    set it (chronyc makestep, timedatectl)`);
  if (nowMs < newestKnownMs - limits.vault.clockBackMsMax)
    throw new Error(
      `the clock says ${said}, and this vault has been at work at ${new Date(newestKnownMs).toISOString()}\n    set the clock: certificates and tokens would come to life again`,
    );
}

/** The newest time at which this vault wrote a file beside its store; 0 when it never did. */
export function newestTime(directory: string): number {
  const times = ['mark', 'events.jsonl'].map(
    (name) => statSync(join(directory, name), { throwIfNoEntry: false })?.mtimeMs ?? 0,
  );
  return Math.max(...times);
}

/** Throws when the file system does not take a synced write. */
export function probeSync(directory: string): void {
  const file = join(makeDirectory(directory), 'probe');
  try {
    const fd = openSync(file, 'w', 0o600);
    try {
      writeSync(fd, 'skep');
      fsyncSync(fd);
    } finally {
      closeSync(fd);
      rmSync(file, { force: true });
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(
      `${directory} does not take a synced write (${code})\n    check the disk, its mount and its permissions`,
      {
        cause: error,
      },
    );
  }
}
