/** Makes a log in an empty database: `skep cluster init`. */
import type { Platform } from '#config/platform.ts';
import { clusterOf, type Cluster } from '#storage/log-engine/postgres/cluster.ts';
import { createTables } from '#storage/log-engine/postgres/create.ts';
import { surveyOf } from '#storage/log-engine/postgres/survey.ts';
import { copiesOf } from './examine.ts';
import { asked, nameOf, sessionOf } from './log-of.ts';
import { makeSubmissions } from './submissions.ts';
import { makeAudit } from './audit.ts';
import { makeVault } from './vault.ts';

export interface MadeLog extends Pick<Cluster, 'id' | 'shards'> {
  readonly database: string;
  /** What an operator should know of its copies; '' where each write is on two. */
  readonly warning: string;
}

/** Throws where the platform file names no database, where that has a log already, and where it is not replicated as the file says. */
export async function makeLog(platform: Platform, shards: number): Promise<MadeLog> {
  const options = sessionOf(platform);
  const database = nameOf(options);
  const survey = await asked(options, () => surveyOf(options));
  if (survey.refused !== null)
    throw new Error(`there is a log in ${database} already: skep cluster status shows it; nothing was changed`);
  const [copies] = copiesOf(survey, options);
  if (copies!.state === 'fault') throw new Error(`${copies!.detail}\n    ${copies!.mend}; nothing was changed`);
  if (!survey.mayCreate) throw new Error(`the user may not make tables in ${database}\n    grant create on its schema`);
  await createTables(options, shards);
  await makeVault(platform, options);
  await makeSubmissions(platform, options);
  await makeAudit(platform, options);
  const { id, shards: made } = await clusterOf(options);
  const text = copies!.state === 'warning' ? `${copies!.detail}: ${copies!.mend}` : '';
  return { database, id, shards: made, warning: text };
}
