/** What a host needs of its log before it opens shards: the client of databases, and on a node whose turn comes next, connections that are open already. */
import { limits } from '#config/limits.ts';
import { hasLog } from '#config/journal-problems.ts';
import type { Platform } from '#config/platform.ts';
import { Ahead } from '#runtime/cluster/ahead.ts';
import type * as HostJournals from '#runtime/cluster/host-journals.ts';
import type * as ShardsBack from '#runtime/cluster/shards-back.ts';
import type { LogEngine } from '#storage/log-engine/port.ts';

export interface LogCode {
  readonly journals: typeof HostJournals;
  readonly copies: typeof ShardsBack;
}

export type LogAhead = Ahead<LogEngine>;

/** The client of databases, loaded where there is a log; null on a node whose journal lies in files. */
export async function loadLogCode(platform: Platform): Promise<LogCode | null> {
  if (!hasLog(platform)) return null;
  const [journals, copies] = await Promise.all([
    import('#runtime/cluster/host-journals.ts'),
    import('#runtime/cluster/shards-back.ts'),
  ]);
  return { journals, copies };
}

export function logAhead(platform: Platform): LogAhead {
  return new Ahead({
    open: async () => {
      const code = await loadLogCode(platform);
      return code === null ? null : code.journals.connectedEngine(platform);
    },
    msMax: limits.cluster.aheadMsMax,
    now: () => performance.now(),
  });
}
