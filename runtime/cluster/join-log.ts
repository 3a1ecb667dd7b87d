/** A node comes to its log: it waits for the database, and until no other node serves; then the log is its own to claim. */
import { limits } from '#config/limits.ts';
import type { Platform } from '#config/platform.ts';
import type { Log } from '#actors/host/activation.ts';
import type { Follows } from '#storage/log-engine/nodes-port.ts';
import { Session } from '#storage/log-engine/postgres/session.ts';
import { fatalIn } from '#runtime/threads/fatal.ts';
import { Ahead } from './ahead.ts';
import { awaitSeal } from './await-seal.ts';
import { clusterNode, type ClusterNode } from './cluster-node.ts';
import type { Carrying } from './carrying.ts';
import type { Cause } from './membership.ts';
import { machineMs } from './lease-cell.ts';
import { asked, readLog, sessionOf, type LogFacts } from './log-of.ts';
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

/** What an operator reads of a takeover, of the node that served before. */
const WHY: Readonly<Record<Cause, string>> = {
  'given up': 'it gave its place up: it was stopped, or told to hand over',
  ended: 'it was ended, by skep cluster fence or by another node',
  silent: 'it was silent for its lease',
  own: 'it was a process before on this data directory, which is gone',
};

export interface TakePlacePorts {
  readonly platform: Platform;
  readonly log: Log;
  /** Null for a command that needs the stores once: it does not wait. */
  readonly standby: StandbyPort | null;
  /** Is told of each node for which this one waits. */
  readonly onStandby: (serving: string) => void;
  /** Is told when the place comes within moments, since the node that serves was told to hand over to this one. */
  readonly onNext: () => void;
  /** Is told what lets this node run hosts for the one that serves, before it waits. */
  readonly onCarrying?: (carrying: Carrying) => void;
}

/** What a node knows of its log before it has its place, and its part among the nodes there, which does nothing yet. */
export interface JoinedLog {
  readonly facts: LogFacts;
  readonly cluster: ClusterNode;
}

/** Waits for the database, and for the keys of a sealed log. Rejects where the platform's database has no log, where the vault is another one, and where files hold what is in no log. */
export async function joinLog(platform: Platform, log: Log): Promise<JoinedLog> {
  const facts = await readLog(platform, log);
  await awaitSeal(platform, log);
  return { facts, cluster: clusterNode(platform, log) };
}

/** The facts of the log, and the tenants that were written last while this node waited, newest first. */
export interface PlaceTaken extends LogFacts {
  readonly recent: readonly number[];
}

/**
 * Waits until no other node serves; then the shards are this node's to claim, and it beats. Gives the facts of the log as they are then: what others wrote meanwhile counts, too. Rejects where another
 * node serves and nothing waits; the caller leaves the cluster then.
 */
export async function takePlace(
  cluster: ClusterNode,
  { platform, log, standby, onStandby, onNext, onCarrying }: TakePlacePorts,
): Promise<PlaceTaken> {
  const fatal = await fatalIn('node');
  const following = standby === null ? null : followLog(platform, log, fatal);
  if (following !== null) {
    cluster.tells(() => following.follows);
    onCarrying?.(cluster.carrying(following));
  }
  let before: string | null = null;
  const show = async (serving: string): Promise<void> => {
    before = serving;
    following!.start();
    const operations = await standby!.show(serving, () => following!);
    log.info(
      { serving, ...(operations === null ? {} : { operations }) },
      'standing by: another node serves the log, and this one takes its place when it is gone',
    );
    onStandby(serving);
  };
  const options = sessionOf(platform);
  const ahead = new Ahead({ open: () => Session.open(options), msMax: limits.cluster.aheadMsMax, now: machineMs });
  cluster.whenNext(() => {
    void ahead.open();
    onNext();
  });
  try {
    await asked(options, () => cluster.serve(standby === null ? null : show));
    cluster.keep(fatal);
    if (before !== null)
      log.info({ before, why: WHY[cluster.cause!] }, 'this node takes the place, and opens the shards');
    standby?.takesOver();
    cluster.tells(() => null);
    const [facts] = await Promise.all([readFacts(platform, log, ahead), following?.stop()]);
    return { ...facts, recent: following?.recent ?? [] };
  } catch (error) {
    await following?.stop();
    throw error;
  }
}

async function readFacts(platform: Platform, log: Log, ahead: Ahead<Session>): Promise<LogFacts> {
  const session = await ahead.take();
  try {
    return await readLog(platform, log, session);
  } finally {
    session?.close();
  }
}
