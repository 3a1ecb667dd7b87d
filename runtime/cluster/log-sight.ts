/** What the database of a log says to operators who look: of the nodes, the shards, and of itself and the servers that copy it. Loaded where it is asked for: the client of databases comes with it. */
import type { Platform } from '#config/platform.ts';
import { membersOf, surveyOf } from '#storage/log-engine/postgres/survey.ts';
import type { ClusterDatabase, ClusterMate, ClusterShard } from '#actors/protocol/node-view.ts';
import { serverFindings } from './examine.ts';
import { asked, nameOf, sessionOf } from './log-of.ts';
import { logStateOf, type NodeStatus } from './shards.ts';

export interface LogSight {
  readonly database: ClusterDatabase;
  /** Newest beat first. */
  readonly nodes: readonly ClusterMate[];
  readonly shards: readonly Omit<ClusterShard, 'host'>[];
}

/** Changes nothing: four connections, one after the other. Rejects where the database does not answer, with its name and without user and password. */
export async function seeLog(platform: Platform): Promise<LogSight> {
  const options = sessionOf(platform);
  const { nodes, shards } = await logStateOf(platform);
  const survey = await asked(options, () => surveyOf(options));
  const members = await asked(options, () => membersOf(options));
  return {
    database: {
      name: nameOf(options),
      bytes: survey.bytes,
      findings: serverFindings(survey, options),
      members: members.map(({ name, state, sync, behindBytes }) => ({ name, state, sync, behind_bytes: behindBytes })),
    },
    nodes: nodes.map(mateOf),
    shards: shards.map(({ shard, owner, epoch, last, confirmed, trimmed, copy, copied, behind }) => {
      return { shard, owner, epoch, last, confirmed, trimmed, copy, copied_at: copied, behind };
    }),
  };
}

function mateOf({ node, state, beat_s, lease_s, behind, behind_s, link, linked, carries }: NodeStatus): ClusterMate {
  const since = { beat_seconds: beat_s, lease_seconds: lease_s, behind, behind_seconds: behind_s };
  return { node, state, ...since, link, linked, carries };
}
