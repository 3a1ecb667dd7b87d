/** How a platform's log is reached, and what a node asks of it before its threads open shards. */
import { isLogSealed } from '#config/journal-problems.ts';
import { limits } from '#config/limits.ts';
import { logServers } from '#config/log-servers.ts';
import type { Platform } from '#config/platform.ts';
import { findJournals } from '#storage/journal/directories.ts';
import { clusterOf, shardRows, type Asked } from '#storage/log-engine/postgres/cluster.ts';
import { sealMarks } from '#storage/log-engine/postgres/seal-marks.ts';
import type { Session, SessionOptions } from '#storage/log-engine/postgres/session.ts';
import { untilKnown } from '#storage/log-engine/until-known.ts';
import type { Log } from '#actors/host/activation.ts';
import { refuseHeld } from './held.ts';

/** What the log says to a node that starts. */
export interface LogFacts {
  /** A UUID, drawn when the log was made. */
  readonly id: string;
  /** Fixed when the log was made. */
  readonly shards: number;
  /** The latest instant in it, milliseconds since 1970; 0 in an empty one. The clock of the node does not stay behind it. */
  readonly time: number;
}

/** Throws where the platform has no log: the caller has asked. */
export function sessionOf({ storage: { journal } }: Pick<Platform, 'storage'>): SessionOptions {
  const { replication, url } = journal;
  if (url === undefined) throw new Error('storage.journal names no database: driver: postgres, url: ${SKEP_LOG_URL}');
  return { url, replication, answerMs: limits.storage.logAnswerMs };
}

/** The database for people, without its user and password. */
export function nameOf({ url }: Pick<SessionOptions, 'url'>): string {
  const servers = logServers(url)!;
  return `${servers.map(({ host }) => host).join()}${servers[0]!.pathname}`;
}

/** What a verb asks of the database: an error names the database, and what to do. */
export async function asked<T>(options: SessionOptions, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    const mend = 'skep cluster check -f <file> looks at the server, the way to it and the tables';
    throw new Error(`${nameOf(options)}: ${(error as Error).message}\n    ${mend}`, { cause: error });
  }
}

/** Between two calls of which the first had no outcome. */
export function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, limits.storage.logPauseMs));
}

/** `ahead`: a connection that is open. Waits for a database that does not answer; rejects where it is no log of this release, and where files hold what is in no log. */
export async function readLog(platform: Platform, log: Log, ahead: Session | null = null): Promise<LogFacts> {
  const { dir } = platform.storage;
  if (findJournals(dir).length > 0)
    throw new Error(
      `${dir}/journal holds writes that were acknowledged by files, and the log in the database does not have them\n` +
        '    name another data directory (storage.dir), or keep the journal in files (storage.journal)',
    );
  const options = sessionOf(platform);
  let isTold = false;
  const paused = async (why: Error): Promise<void> => {
    if (!isTold)
      log.warn(
        { database: nameOf(options), err: why },
        'the database of the log does not answer, so the node cannot start yet: it tries again until it does; see to the database, or end the node',
      );
    isTold = true;
    await pause();
  };
  const to = (): Asked => (ahead?.isOpen === true ? ahead : options);
  const [{ id, shards, time }, rows, marks] = await Promise.all([
    untilKnown(() => clusterOf(to()), paused),
    untilKnown(() => shardRows(to()), paused),
    untilKnown(() => sealMarks(to()), paused),
  ]);
  refuseHeld(rows, nameOf(options));
  if (marks.size > 0 && !isLogSealed(platform))
    throw new Error(
      `the log in ${nameOf(options)} is sealed, and the platform file does not name its keys\n    set storage.journal.seal: vault, with the vault of this log`,
    );
  return { id, shards, time };
}
