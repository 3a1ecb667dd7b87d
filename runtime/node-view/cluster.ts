/**
 * The node among others on one log: its own place from memory, and what the database says of the others, of the shards and of itself. The database is asked by one look at a time, which
 * counts for some seconds, and an answer waits for it no longer than it must: a database that does not answer is what an operator looks for here.
 */
import { limits } from '#config/limits.ts';
import type { Platform } from '#config/platform.ts';
import { systemClock, timestamp } from '#actors/kit/clock.ts';
import type { ClusterShard, NodeCluster } from '#actors/protocol/node-view.ts';
import type { OwnPlace } from '#runtime/cluster/cluster-node.ts';
import type { LogSight } from '#runtime/cluster/log-sight.ts';
import type { ViewParts } from './view-parts.ts';

const { clusterFreshMs, clusterNodesMax, clusterShardsMax, clusterWaitMs } = limits.nodeView;

type Parts = Pick<ViewParts, 'cluster' | 'live' | 'supervisor'>;
type See = (platform: Platform) => Promise<LogSight>;

/** The client of databases is loaded when it is asked for. */
const seeDatabase: See = async (platform) => (await import('#runtime/cluster/log-sight.ts')).seeLog(platform);

interface Look {
  readonly at: number;
  readonly sight: LogSight;
}

export class ClusterView {
  readonly #parts: Parts;
  readonly #see: See;
  #asked: Promise<void> | null = null;
  #last: Look | null = null;
  /** What the newest look that failed said; null where the newest one went well. */
  #failed: string | null = null;

  /** `see` rejects where the database does not answer. */
  constructor(parts: Parts, see: See = seeDatabase) {
    this.#parts = parts;
    this.#see = see;
  }

  async show(): Promise<NodeCluster> {
    const { cluster, live } = this.#parts;
    if (cluster === null) return { log: null };
    const late = await this.#look();
    const seen = this.#last;
    return {
      log: {
        ...ownOf(cluster.own, systemClock.now()),
        reads: live.platform.cluster.reads,
        asked_at: seen === null ? null : timestamp(seen.at),
        failed: late ?? this.#failed,
        database: seen?.sight.database ?? null,
        nodes: (seen?.sight.nodes ?? []).slice(0, clusterNodesMax),
        nodes_more: Math.max(0, (seen?.sight.nodes.length ?? 0) - clusterNodesMax),
        shards: (seen?.sight.shards ?? []).slice(0, clusterShardsMax).map((shard) => this.#placed(shard)),
        shards_more: Math.max(0, (seen?.sight.shards.length ?? 0) - clusterShardsMax),
      },
    };
  }

  /** Gives what to say where the database takes longer than an answer waits. */
  async #look(): Promise<string | null> {
    if (this.#last !== null && systemClock.now() - this.#last.at < clusterFreshMs) return null;
    this.#asked ??= this.#ask().finally(() => (this.#asked = null));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<string>((resolve) => {
      const said = `the database has not answered for ${clusterWaitMs / 1000} s`;
      timer = setTimeout(() => resolve(said), clusterWaitMs);
    });
    const told = await Promise.race([this.#asked.then(() => null), late]);
    clearTimeout(timer);
    return told;
  }

  async #ask(): Promise<void> {
    try {
      this.#last = { sight: await this.#see(this.#parts.live.platform), at: systemClock.now() };
      this.#failed = null;
    } catch (error) {
      this.#failed = (error as Error).message.split('\n')[0]!;
    }
  }

  /** The thread of this node that has a shard; null where none does. */
  #placed(shard: Omit<ClusterShard, 'host'>): ClusterShard {
    const place = [...this.#parts.supervisor.places()].find(({ shards }) => shards?.includes(shard.shard));
    return { ...shard, host: place?.desk.name ?? null };
  }
}

function ownOf({ node, leaseMs, leftMs, servedMs, before, cause }: OwnPlace, now: number) {
  return {
    node,
    lease_seconds: leaseMs / 1000,
    lease_left_seconds: Math.round(leftMs / 100) / 10,
    since: servedMs === null ? null : timestamp(now - servedMs),
    before,
    why: cause,
  };
}
