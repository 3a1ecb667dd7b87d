/**
 * An operator often runs a command as root on the directory of a service that runs as a user of its own. Everything there is for its owner alone, so
 * what root makes in it belongs to that owner afterwards: the service could not open it otherwise.
 */
import { existsSync, lchownSync, lstatSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

const ROOT_UID = 0;

/** The owner of a path, or of the nearest directory above it that is there. */
export function ownerOf(path: string): Owner {
  let there = resolve(path);
  while (!existsSync(there)) there = dirname(there);
  return lstatSync(there);
}

/** Gives what root owns at the path and below it to the owner. Does nothing where the command does not run as root, or the owner is root. */
export function giveTo(owner: Owner, path: string): void {
  if (process.geteuid?.() !== ROOT_UID || owner.uid === ROOT_UID || !existsSync(path)) return;
  give(owner, path);
}

/** Links are given themselves, and never followed. */
function give({ uid, gid }: Owner, path: string): void {
  const found = lstatSync(path);
  if (found.uid === ROOT_UID) lchownSync(path, uid, gid);
  if (found.isDirectory()) for (const name of readdirSync(path)) give({ uid, gid }, join(path, name));
}
