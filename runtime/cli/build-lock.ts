/** The lock of a build that one process makes at a time: a file with the number of the process that builds. One that was killed leaves its lock behind, which keeps no other from building. */
import { linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';

/** No build takes that long: the number in an older lock is that of another program by now. */
export const LOCK_MS_MAX = 15 * 60_000;

/** Gives false where another process builds. */
export function takeLock(path: string, own: string): boolean {
  // A link appears with what it holds: no other process ever reads an empty lock.
  writeFileSync(own, String(process.pid));
  try {
    for (;;) {
      if (isDone(() => linkSync(own, path), 'EEXIST')) return true;
      const state = stateOf(path);
      if (state === 'held') return false;
      if (state === 'dead' && !removeDead(path, `${own}.dead`)) return false;
    }
  } finally {
    rmSync(own, { force: true });
  }
}

/** A lock that another process has taken over stays. */
export function leaveLock(path: string): void {
  if (isDone(() => statSync(path), 'ENOENT') && readFileSync(path, 'utf8') === String(process.pid)) rmSync(path);
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user.
    return codeOf(error) === 'EPERM';
  }
}

function stateOf(path: string): 'held' | 'dead' | 'gone' {
  try {
    const pid = Number(readFileSync(path, 'utf8'));
    const isOld = Date.now() - statSync(path).mtimeMs > LOCK_MS_MAX;
    // A process takes the lock once, so its own number is that of one before it: containers count from the same one.
    const isHeld = Number.isSafeInteger(pid) && pid > 0 && pid !== process.pid && !isOld && isAlive(pid);
    return isHeld ? 'held' : 'dead';
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? 'gone' : 'dead';
  }
}

/** Gives false where the lock was taken by a process that lives since it was looked at: it is put back. */
function removeDead(path: string, aside: string): boolean {
  rmSync(aside, { recursive: true, force: true });
  if (!isDone(() => renameSync(path, aside), 'ENOENT')) return true;
  const isHeld = stateOf(aside) === 'held';
  if (isHeld) isDone(() => linkSync(aside, path), 'EEXIST');
  rmSync(aside, { recursive: true, force: true });
  return !isHeld;
}

/** Whether it was done; false where it fails with this code. */
function isDone(act: () => unknown, code: string): boolean {
  try {
    act();
    return true;
  } catch (error) {
    if (codeOf(error) === code) return false;
    throw error;
  }
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;
