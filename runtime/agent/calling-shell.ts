/**
 * The calling shell of a developer verb (docs/contract/vault.md §2.2): the parent of the process that sends the request, if it is a login shell of
 * this machine (shells(5)) and runs as the same user. Only shells: otherwise a child of any program could use that program's identity.
 */
import { readFile, realpath } from 'node:fs/promises';
import { executablePath, runMark, sameRun, type RunMark } from './process-facts.ts';

export interface Shell {
  readonly pid: number;
  readonly mark: RunMark;
  readonly path: string;
}

/** The shells of every Linux, where there is no list. */
const COMMON = ['/bin/sh', '/bin/bash', '/bin/dash', '/bin/zsh', '/usr/bin/bash', '/usr/bin/zsh', '/usr/bin/fish'];

/** The shell that started a process, or null: another kind of parent, another user's shell, or no parent any more. */
export async function callingShell(
  pid: number,
  owner: { readonly uid: number; readonly gid: number },
): Promise<Shell | null> {
  const parent = await parentOf(pid);
  if (parent === null || !(await isOf(parent, owner))) return null;
  const mark = await runMark(parent);
  const path = await executablePath(parent);
  if (mark === null || path === null || !(await loginShells()).has(path)) return null;
  return { pid: parent, mark, path };
}

/** Whether it still is: if the parent had ended, its child would have another parent. */
export async function isStillCalling(pid: number, { pid: parent, mark }: Shell): Promise<boolean> {
  const now = await runMark(parent);
  return now !== null && sameRun(now, mark) && (await parentOf(pid)) === parent;
}

async function parentOf(pid: number): Promise<number | null> {
  const stat = await textOf(`/proc/${pid}/stat`);
  // The name stands in parentheses and may hold any character: fields are counted from the last parenthesis.
  const parent = Number(stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  return Number.isInteger(parent) && parent > 1 ? parent : null;
}

/** Real, effective, saved and file system ids all belong to the owner: a shell that is changing its user belongs to neither. */
async function isOf(pid: number, { uid, gid }: { readonly uid: number; readonly gid: number }): Promise<boolean> {
  const status = (await textOf(`/proc/${pid}/status`)) ?? '';
  const all = (name: string, id: number): boolean => {
    const ids = new RegExp(`^${name}:\\t(\\d+)\\t(\\d+)\\t(\\d+)\\t(\\d+)$`, 'm').exec(status)?.slice(1) ?? [];
    return ids.length === 4 && ids.every((one) => Number(one) === id);
  };
  return all('Uid', uid) && all('Gid', gid);
}

/** Read on each call: developer verbs are rare, and an administrator may add a shell. */
async function loginShells(): Promise<Set<string>> {
  const listed = (await textOf('/etc/shells'))?.split('\n').map((line) => line.replace(/#.*/, '').trim());
  const paths = (listed ?? COMMON).filter((path) => path.startsWith('/'));
  return new Set(await Promise.all(paths.map((path) => realpath(path).catch(() => path))));
}

const textOf = (path: string): Promise<string | null> => readFile(path, 'latin1').catch(() => null);
