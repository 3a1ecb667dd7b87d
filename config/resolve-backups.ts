/** Resolves the `backups` part of a file, and checks rules that involve several keys. */
import { relative } from 'node:path';
import type { BackupsConfig, Platform } from './platform.ts';
import { problemAt, type Path, type Problem } from './problem.ts';
import { pathFrom, type Surroundings } from './surroundings.ts';

export function backupsFrom(around: Surroundings, backups: BackupsConfig): BackupsConfig {
  const { encrypt, scratch, to } = backups;
  const { identity } = encrypt;
  return {
    ...backups,
    ...(to !== undefined && { to: pathFrom(around, ['backups', 'to'], to) }),
    ...(scratch !== undefined && { scratch: pathFrom(around, ['backups', 'scratch'], scratch) }),
    encrypt: {
      ...encrypt,
      ...(identity !== undefined && { identity: pathFrom(around, ['backups', 'encrypt', 'identity'], identity) }),
    },
  };
}

/** Whether backups are made. */
export function hasBackups({ backups }: Pick<Platform, 'backups'>): boolean {
  return backups.to !== undefined || backups.s3 !== undefined;
}

/** Whether the journals are copied. */
export function hasJournalCopy(platform: Pick<Platform, 'backups'>): boolean {
  return hasBackups(platform) && platform.backups.journal.every !== 'off';
}

export function backupProblems(platform: Platform, { tree }: Pick<Surroundings, 'tree'>): Problem[] {
  const { backups, service, storage } = platform;
  if (!hasBackups(platform)) return [];
  const problems: Problem[] = [];
  const say = (key: string, message: string, mend: string): void => {
    const path: Path = ['backups', key];
    problems.push(problemAt(tree.placeOf(path, 'value'), path, message, mend));
  };
  const key = backups.to === undefined ? 's3' : 'to';
  if (service !== null) say(key, 'backups are for a node with tenants', 'leave the section out of this file');
  if (backups.to !== undefined && backups.s3 !== undefined)
    say('s3', 'backups go to one place, and two are named', 'leave out to or s3');
  if (backups.to !== undefined && (isUnder(backups.to, storage.dir) || isUnder(storage.dir, backups.to)))
    say('to', 'the backups would be lost with the data directory', 'name a directory outside of it, on another disk');
  if (backups.encrypt.identity !== undefined && backups.encrypt.recipients.length === 0)
    say('encrypt', 'an identity reads what is encrypted, and no recipient is named', 'add recipients: [age1…]');
  return problems;
}

/** Whether a path is a directory or lies in it. */
export function isUnder(path: string, directory: string): boolean {
  const way = relative(directory, path);
  return way === '' || !way.startsWith('..');
}
