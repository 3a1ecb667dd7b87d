/** Rules of `storage.journal` that involve several keys, and what does not go together with a log in a database yet. */
import { logServers } from './log-servers.ts';
import type { JournalConfig, Platform } from './platform.ts';
import { problemAt, type Path, type Problem } from './problem.ts';
import { hasBackups, isUnder } from './resolve-backups.ts';
import { pathFrom, type Surroundings } from './surroundings.ts';

/** Whether the journal is a log in a database. */
export function hasLog({ storage }: Pick<Platform, 'storage'>): boolean {
  return storage.journal.driver === 'postgres';
}

/** Whether bodies of records in the log, and copies of shards, are sealed. */
export function isLogSealed({ storage }: Pick<Platform, 'storage'>): boolean {
  return hasLog({ storage }) && storage.journal.seal === 'vault';
}

/** Whether copies of shards are made, behind which the log is cut. */
export function hasCopies(platform: Pick<Platform, 'storage'>): boolean {
  const { to, s3 } = platform.storage.journal.snapshots;
  return hasLog(platform) && (to !== undefined || s3 !== undefined);
}

export function journalFrom(around: Surroundings, journal: JournalConfig): JournalConfig {
  const { snapshots } = journal;
  const { to } = snapshots;
  if (to === undefined) return journal;
  return {
    ...journal,
    snapshots: { ...snapshots, to: pathFrom(around, ['storage', 'journal', 'snapshots', 'to'], to) },
  };
}

export function journalProblems(platform: Platform, { tree }: Pick<Surroundings, 'tree'>): Problem[] {
  const { service, storage } = platform;
  const { driver, url, snapshots } = storage.journal;
  const problems: Problem[] = [];
  const say = (path: Path, message: string, mend: string): void => {
    problems.push(problemAt(tree.placeOf(path, 'value'), path, message, mend));
  };
  const own = (key: string): Path => ['storage', 'journal', key];
  if (storage.history !== undefined && !hasCopies(platform))
    say(
      ['storage', 'history'],
      'a history is kept beside copies of shards of a log, and none are made',
      'set storage.journal.snapshots: { to: … }; of a node on files, set backups.journal.every',
    );
  if (driver === 'file') {
    if (url !== undefined)
      say(own('url'), 'the journal lies in files, and a database is named', 'set driver: postgres, or leave out url');
    if (tree.has(['cluster']))
      say(
        ['cluster'],
        'the journal lies in files, which one node alone has',
        'leave the section out, or set storage.journal.driver: postgres',
      );
    if (storage.journal.seal !== 'none')
      say(
        own('seal'),
        'the journal lies in files, which are not sealed',
        'set driver: postgres; files of a node are sealed by the disk below them',
      );
    if (snapshots.to !== undefined || snapshots.s3 !== undefined)
      say(
        own('snapshots'),
        'the journal lies in files, and copies of its shards are asked for',
        'set driver: postgres; copies of a node on files are backups',
      );
    return problems;
  }
  if (service !== null) say(own('driver'), 'a log is for a node with tenants', 'leave the section out of this file');
  if (url === undefined)
    say(
      own('driver'),
      'the log has no database',
      'name it: url: ${SKEP_LOG_URL}, as postgres://user:password@host/name',
    );
  else if (logServers(url) === null)
    say(
      own('url'),
      'it is not the URL of a PostgreSQL',
      'write postgres://user:password@host/name, with several hosts as a:5432,b:5432; vault: cannot be read so early',
    );
  sealProblems(platform, (message, mend) => say(own('seal'), message, mend));
  copyProblems(platform, (key, message, mend) => say([...own('snapshots'), key], message, mend));
  if (storage.mark !== undefined)
    say(['storage', 'mark'], 'the log itself tells an older copy of the directory', 'leave out storage.mark');
  if (hasBackups(platform))
    say(
      ['backups', platform.backups.to === undefined ? 's3' : 'to'],
      'sets of the whole node are not made of a node on a log yet',
      'leave the section out: back the database up, and tenants with skep tenant backup',
    );
  return problems;
}

/** A node that waits, and a command, read the keys by themselves: from a store that they reach, with a root key that they have. */
function sealProblems({ storage, vault }: Platform, say: (message: string, mend: string) => void): void {
  if (storage.journal.seal === 'none') return;
  const { current } = vault.seal;
  if (!vault.enabled)
    return say('the keys of the log lie in the vault, and there is none', 'set vault: { enabled: true, … }');
  if (vault.backend.kind !== 'postgres' && vault.backend.kind !== 'etcd')
    say(
      `the keys of the log lie in the vault, and that in ${vault.backend.kind} on this machine: the log could not be read elsewhere`,
      'set vault.backend.kind: postgres',
    );
  if (vault.seal.kind !== 'key' || (current.file === undefined && current.env === undefined))
    say(
      'the keys of the log are opened by a root key at each start, and the vault has none',
      'set vault.seal: { kind: key, current: { file: ./root.key } }',
    );
}

function copyProblems({ storage }: Platform, say: (key: string, message: string, mend: string) => void): void {
  const { to, s3 } = storage.journal.snapshots;
  if (to === undefined) return;
  if (s3 !== undefined) say('s3', 'copies of shards go to one place, and two are named', 'leave out to or s3');
  if (isUnder(to, storage.dir) || isUnder(storage.dir, to))
    say('to', 'the copies would be lost with the data directory', 'name a directory outside of it, on another machine');
}
