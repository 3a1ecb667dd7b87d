/** The journals of one host over the log in the database. */
import { hostname } from 'node:os';
import { limits } from '#config/limits.ts';
import type { Platform } from '#config/platform.ts';
import { engineJournals } from '#storage/engine-journals/engine-journals.ts';
import type { OpenJournals } from '#storage/journal/port.ts';
import type { LogEngine } from '#storage/log-engine/port.ts';
import { PostgresEngine } from '#storage/log-engine/postgres/engine.ts';
import { systemClock } from '#actors/kit/clock.ts';
import type { Degraded } from '#actors/protocol/degraded.ts';
import { untilKnown } from '#storage/log-engine/until-known.ts';
import { logSeal } from './log-seal.ts';
import { nameOf, sessionOf } from './log-of.ts';
import { LogWatch } from './log-watch.ts';

const {
  commitPutsMax: putsMax,
  logOpensMax,
  logPauseMs,
  logReadBytes,
  logWaitingBytesMax,
  sweepCells: gatherMax,
} = limits.storage;

const LOOK_MS = 1000;

/** Over the database of the platform's log. */
export function logEngine(platform: Platform): PostgresEngine {
  return new PostgresEngine(sessionOf(platform));
}

/** Likewise, with its connections open. */
export async function connectedEngine(platform: Platform): Promise<PostgresEngine> {
  const engine = logEngine(platform);
  try {
    await engine.connect();
    return engine;
  } catch (error) {
    await engine.close();
    throw error;
  }
}

export interface HostJournalsPorts {
  readonly platform: Platform;
  readonly engine: LogEngine;
  /** `host-0`. */
  readonly host: string;
  readonly degraded: Degraded;
  readonly onSynced: (ms: number) => void;
  /** Whether the node has its place until now: by its lease, or by a round to the log. */
  readonly mayClaim: () => boolean | Promise<boolean>;
}

/** Its connections end with the thread: the archive gives the shards up before. */
export function hostJournals(ports: HostJournalsPorts): OpenJournals {
  const { platform, engine, host, degraded, onSynced, mayClaim } = ports;
  const database = nameOf(sessionOf(platform));
  const watch = new LogWatch({ host, database, degraded, onSynced, fine: () => systemClock.fine() });
  setInterval(() => watch.look(), LOOK_MS).unref();
  const settings = {
    engine,
    owner: `${platform.cluster.node ?? hostname()} process ${process.pid} ${host}`,
    bounds: { gatherMax, putsMax },
    readBytesMax: logReadBytes,
    opensMax: logOpensMax,
    waitingBytesMax: logWaitingBytesMax,
    pause: async (why: Error) => {
      watch.failed(why);
      await new Promise((resolve) => setTimeout(resolve, logPauseMs));
    },
    mayClaim,
    now: () => systemClock.now(),
    watch,
  };
  return async (environments, onFatal) => {
    const seal = await untilKnown(() => logSeal(platform), settings.pause);
    const opened = await engineJournals({ ...settings, seal })(environments, onFatal);
    watch.well();
    return opened;
  };
}

/** The fault with which a host ends the node that has lost a shard. */
export function lostShard(shard: number): Error {
  return new Error(
    `another node has taken shard ${shard} of the log, and this one must not answer for it any more: one node serves a log (skep cluster status says which)`,
  );
}
