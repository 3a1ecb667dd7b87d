/** A node comes to its log: it waits for the database, and until no other node serves; then the log is its own to claim. */
import type { Platform } from '#config/platform.ts';
import type { Log } from '#actors/host/activation.ts';
import type { Follows } from '#storage/log-engine/nodes-port.ts';
import { fatalIn } from '#runtime/threads/fatal.ts';
import { clusterNode } from './cluster-node.ts';
import type { ClusterNode } from './cluster-node.ts';
import { asked, readLog, sessionOf } from './log-of.ts';
import type { LogFacts } from './log-of.ts';
import { followLog } from './standby-stores.ts';

/** How far a standby is behind the log, and what keeps it from following. */
export interface FollowState {
  readonly follows: Follows | null;
  readonly fault: string | null;
}

/** What shows that this node stands by: its operations listener. */
export interface StandbyPort {
  /** Names the node that serves, and what says how far this one is behind it; gives the listener's URL, or null where there is none. */
  show(serving: string, follows: () => FollowState): Promise<string | null>;
  takesOver(): void;
}

export interface JoinPorts {
  readonly platform: Platform;
  readonly log: Log;
  /** Null for a command that needs the stores once: it does not wait. */
  readonly standby: StandbyPort | null;
  /** Is told of each node for which this one waits. */
  readonly onStandby: (serving: string) => void;
}

/** Rejects where the platform's database has no log, where files hold what is in no log, and where another node serves and nothing waits. From here on this process beats. */
export async function joinLog({ platform, log, standby, onStandby }: JoinPorts): Promise<{
  readonly facts: LogFacts;
  readonly cluster: ClusterNode;
}> {
  const fatal = await fatalIn('node');
  await readLog(platform, log);
  const cluster = clusterNode(platform, log);
  const following = standby === null ? null : followLog(platform, log, fatal);
  if (following !== null) cluster.tells(() => following.follows);
  const show = async (serving: string): Promise<void> => {
    following!.start();
    const operations = await standby!.show(serving, () => following!);
    log.info(
      { serving, ...(operations === null ? {} : { operations }) },
      'standing by: another node serves the log, and this one takes its place when it is gone',
    );
    onStandby(serving);
  };
  try {
    await asked(sessionOf(platform), () => cluster.serve(standby === null ? null : show));
    cluster.keep(fatal);
    standby?.takesOver();
    cluster.tells(() => null);
    await following?.stop();
    // What others wrote until now counts, too.
    return { facts: await readLog(platform, log), cluster };
  } catch (error) {
    await following?.stop();
    await cluster.leave();
    throw error;
  }
}
