/** Whether the database that the platform file names is fit for a log: the findings of `skep cluster check`. */
import { limits } from '#config/limits.ts';
import type { Platform } from '#config/platform.ts';
import { isNearHost } from '#config/bind.ts';
import { logServers } from '#config/log-servers.ts';
import { clusterOf, type Cluster } from '#storage/log-engine/postgres/cluster.ts';
import { whyNotStrict, type SessionOptions } from '#storage/log-engine/postgres/session.ts';
import { surveyOf, timeChanges, type Survey } from '#storage/log-engine/postgres/survey.ts';
import { fault, ok, warning, type Finding } from '#runtime/doctor/finding.ts';
import { examineAudit } from './audit.ts';
import { examineCopies } from './examine-copies.ts';
import { nameOf, sessionOf } from './log-of.ts';
import { examineSubmissions } from './submissions.ts';
import { examineDoors, examineSeal, examineVault } from './vault.ts';

/** gen_random_uuid is the youngest thing that the log needs. */
const VERSION_MIN = 130_000;
/** The release that the tests run against. */
const VERSION_TESTED = 150_000;
const TIMES = 5;
const SLOW_MS = 20;
const MIB = 1024 * 1024;

/** Throws where the platform file names no database. */
export async function examineLog(platform: Platform): Promise<Finding[]> {
  const options = sessionOf(platform);
  const database = nameOf(options);
  let survey: Survey;
  try {
    survey = await surveyOf(options);
  } catch (error) {
    const mend = 'look at the server, the network, and storage.journal.url: host, user, password, database';
    return [fault('database', `${database}: ${(error as Error).message}`, mend)];
  }
  const log = await examineTables(options, survey, platform);
  const isWhole = log.every(({ state }) => state !== 'fault');
  return [
    ok('database', `${database} answers, and it is a primary`),
    ...serverFindings(survey, options),
    ...log,
    ...examineVault(platform),
    ...(await examineDoors(platform)),
    ...examineSubmissions(platform),
    ...examineAudit(platform),
    ...(isWhole ? await examineSeal(platform) : []),
    ...(isWhole ? [await examineCopies(platform)] : []),
    ...(isWhole ? [await speedOf(options)] : []),
  ];
}

/** Of the server and the way to it: what can be said without a change. */
export function serverFindings(survey: Survey, options: SessionOptions): Finding[] {
  return [versionOf(survey), wayOf(survey, options), ...copiesOf(survey, options)];
}

function versionOf({ release, version }: Survey): Finding {
  if (version < VERSION_MIN)
    return fault('version', `PostgreSQL ${release}`, 'take release 13 or a later one; 15 is what Skep is tested with');
  if (version < VERSION_TESTED)
    return warning('version', `PostgreSQL ${release}`, 'it should do; Skep is tested with release 15');
  return ok('version', `PostgreSQL ${release}`);
}

function wayOf({ isEncrypted }: Survey, { url }: SessionOptions): Finding {
  if (isEncrypted) return ok('connection', 'it is encrypted (TLS)');
  const detail = 'it is not encrypted: rows travel as they are';
  const isNear = logServers(url)!.every(({ hostname }) => isNearHost(hostname) || hostname === 'localhost');
  if (isNear) return ok('connection', `${detail}, in a private network`);
  return warning('connection', detail, 'add ?sslmode=verify-full to storage.journal.url');
}

/** How many copies a write is on when it is answered. */
export function copiesOf(
  { standbyNames, standbys }: Pick<Survey, 'standbyNames' | 'standbys'>,
  { replication }: Pick<SessionOptions, 'replication'>,
): Finding[] {
  const why = whyNotStrict(standbyNames);
  if (replication === 'managed') {
    if (why === null) return [ok('copies', `a write waits for a standby: ${standbyNames}`)];
    const detail = `${why}; with replication: managed the node takes its word all the same`;
    const mend =
      'as far as the server says, ONE COPY has a write when it is answered: ask the provider whether the storage below keeps more, and what a fail-over loses';
    return [warning('copies', detail, mend)];
  }
  if (why !== null) {
    const mend =
      "give it a standby, and name it: synchronous_standby_names = 'FIRST 1 (name)'; of a provider that keeps the copies itself: storage.journal.replication: managed";
    return [fault('copies', why, mend)];
  }
  if (standbys === 0)
    return [fault('copies', `no synchronous standby is connected (${standbyNames}): writes wait`, 'start the standby')];
  const seen = standbys === null ? 'the user may not see whether it is connected' : `${standbys} connected`;
  return [ok('copies', `a write waits for a standby: ${standbyNames} (${seen})`)];
}

async function examineTables(options: SessionOptions, survey: Survey, { hosts }: Platform): Promise<Finding[]> {
  const { bytes, mayCreate, refused } = survey;
  if (refused === null) {
    const may = mayCreate ? '' : ' (its user may not make tables in this schema: grant create)';
    return [fault('log', 'there is no log in this database', `make it: skep cluster init${may}`)];
  }
  if (refused.length > 0)
    return [
      fault('permissions', `the user may not read and change ${refused.join(', ')}`, 'make the user their owner'),
    ];
  let cluster: Cluster;
  try {
    cluster = await clusterOf(options);
  } catch (error) {
    return [fault('log', (error as Error).message, 'see the line before')];
  }
  const { id, shards } = cluster;
  const size = `${Math.ceil((bytes ?? 0) / MIB)} MiB`;
  return [
    hosts > shards
      ? warning('log', `${shards} shards for ${hosts} hosts: some have nothing to do`, `set hosts to at most ${shards}`)
      : ok('log', `${id}: ${shards} shards, ${size}`),
    mayCreate
      ? ok('permissions', 'the user may read, write and make tables')
      : warning(
          'permissions',
          'the user may not make tables',
          'the log cannot be cut without it: grant create on the schema',
        ),
  ];
}

async function speedOf(options: SessionOptions): Promise<Finding> {
  try {
    const taken = (await timeChanges(options, TIMES)).sort((a, b) => a - b);
    const [median, worst] = [taken[Math.floor(taken.length / 2)]!, taken.at(-1)!];
    const detail = `${median.toFixed(1)} ms until a write counts, ${worst.toFixed(1)} ms at worst, of ${TIMES}`;
    if (median <= SLOW_MS) return ok('append', detail);
    return warning('append', detail, 'each write waits so long: bring node, database and standby nearer to each other');
  } catch (error) {
    const mend = `nothing would be acknowledged: see to the standby (an answer was waited for ${limits.storage.logAnswerMs / 1000} s)`;
    return fault('append', (error as Error).message, mend);
  }
}
