/** Rules of `storage.journal` that involve several keys, and what does not go together with a log in a database yet. */
import type { Platform } from './platform.ts';
import { problemAt } from './problem.ts';
import type { Path, Problem } from './problem.ts';
import { hasBackups } from './resolve-backups.ts';
import type { Surroundings } from './surroundings.ts';

const PROTOCOLS = new Set(['postgres:', 'postgresql:']);

/** Whether the journal is a log in a database. */
export function hasLog({ storage }: Pick<Platform, 'storage'>): boolean {
  return storage.journal.driver === 'postgres';
}

export function journalProblems(platform: Platform, { tree }: Pick<Surroundings, 'tree'>): Problem[] {
  const { service, storage } = platform;
  const { driver, url } = storage.journal;
  const problems: Problem[] = [];
  const say = (path: Path, message: string, mend: string): void => {
    problems.push(problemAt(tree.placeOf(path, 'value'), path, message, mend));
  };
  const own = (key: string): Path => ['storage', 'journal', key];
  if (driver === 'file') {
    if (url !== undefined)
      say(own('url'), 'the journal lies in files, and a database is named', 'set driver: postgres, or leave out url');
    if (tree.has(['cluster']))
      say(
        ['cluster'],
        'the journal lies in files, which one node alone has',
        'leave the section out, or set storage.journal.driver: postgres',
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
  else if (!isDatabase(url))
    say(
      own('url'),
      'it is not the URL of a PostgreSQL',
      'write postgres://user:password@host/name; vault: cannot be read so early',
    );
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

function isDatabase(url: string): boolean {
  return URL.canParse(url) && PROTOCOLS.has(new URL(url).protocol);
}
