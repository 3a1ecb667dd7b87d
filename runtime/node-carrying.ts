/** A node's links to others, and its part in hosts that nodes run for one another: it carries some for the one that serves while it stands by, and has some of its own carried while it serves. */
import type { Platform } from '#config/platform.ts';
import type { Log } from '#actors/host/activation.ts';
import type { Carrying } from './cluster/carrying.ts';
import type { ClusterNode } from './cluster/cluster-node.ts';
import { markFolders, unshared } from './cluster/shared-files.ts';
import type { JoinedLog } from './cluster/join-log.ts';
import { compileRoutes } from './compile-routes.ts';
import type { Directory } from './door/directory.ts';
import { CarrierLinks } from './link/carrier-links.ts';
import { LINK_PROTOCOLS, routeNames, type Self } from './link/hello.ts';
import type { BridgedThread, OwnDoor } from './link/hosted.ts';
import type { LinkClock } from './link/link-clock.ts';
import { Hosting } from './link/hosting.ts';
import { NodeLink, type NodeLinkPorts } from './link/node-link.ts';
import { childRow } from './supervisor/children.ts';
import type { Supervisor } from './supervisor/supervisor.ts';
import { callForKeys, hearKeyCall, type KeyCall } from './threads/key-call.ts';
import type { UsageMeter } from './usage/usage-meter.ts';
import { skepVersion } from './version.ts';

export interface NodeCarryingPorts {
  readonly platform: Platform;
  readonly self: Self;
  readonly cluster: ClusterNode;
  readonly keyCall: KeyCall;
  readonly clock: LinkClock;
  readonly log: Log;
  /** What hosts have counted and not told yet is taken: the thread of a place that moves takes it along otherwise. */
  readonly counted: () => Promise<unknown>;
  /** The doors of this node, as threads answer them. */
  readonly door: OwnDoor;
  /** Starts a tenant host that says nothing to main: its messages go elsewhere. */
  readonly spawn: () => BridgedThread;
}

/** As other nodes know this one. */
export function selfOf({ cluster, facts }: JoinedLog): Self {
  const { id: life, node } = cluster.life;
  return { cluster: facts.id, protocols: LINK_PROTOCOLS, release: skepVersion(), node, life };
}

export interface LinkedParts extends Omit<NodeLinkPorts, 'config' | 'counted' | 'platform' | 'self' | 'where'> {
  readonly supervisor: Pick<Supervisor, 'carriedAt'>;
  readonly directory: Directory;
  readonly usage: Pick<UsageMeter, 'used'>;
  /** Whether routes of tenants are refused for a while. */
  readonly refuses: () => boolean;
}

/** Null where the platform file has no `cluster.link`. */
export function nodeLink(joined: JoinedLog | null, platform: Platform, parts: LinkedParts): NodeLink | null {
  const { directory, refuses, supervisor, usage, ...ports } = parts;
  const config = platform.cluster.link;
  if (joined === null || config === undefined) return null;
  const link = new NodeLink({
    ...ports,
    platform,
    config,
    self: selfOf(joined),
    where: ({ localdir, quota, shard, standing, state }) => {
      const isPlain = localdir !== null && quota === undefined && standing === undefined && state === 'active';
      return isPlain && !refuses() ? supervisor.carriedAt(shard) : null;
    },
    counted: (no, requests) => {
      const tenant = directory.byNo(no);
      if (tenant !== undefined && tenant.localdir !== null) usage.used(tenant.position.key, 'requests', requests);
    },
  });
  directory.onEntry = (key) => (key === '' ? link.referrals.recallAll() : link.referrals.recall(key));
  return link;
}

const now = (): number => performance.now();

export class NodeCarrying {
  readonly hosting: Hosting;
  readonly #ports: NodeCarryingPorts;

  constructor(ports: NodeCarryingPorts) {
    const { clock, cluster, door, keyCall, log, platform, self, spawn } = ports;
    this.#ports = ports;
    this.hosting = new Hosting({
      self,
      routes: routeNames(compileRoutes(platform)),
      room: platform.hosts,
      serving: () => cluster.serving?.id ?? null,
      spawn,
      door,
      unshared: (life) => unshared(platform.storage.dir, life),
      confirm: () => cluster.confirm(),
      hearKeys: (then) => hearKeyCall(keyCall, then),
      clock,
      log,
    });
  }

  /** This node waits for its place, and may run hosts meanwhile. */
  waits(carrying: Carrying): void {
    this.hosting.open(carrying);
  }

  /** This node has its place, or stops: it runs no host for another one any more. */
  async ends(why: string): Promise<void> {
    await this.hosting.close(why);
  }

  /** This node serves, and its doors are open: places go to the nodes that stand by, too. */
  share(supervisor: Pick<Supervisor, 'shareOut'>): void {
    const { clock, cluster, counted, keyCall, log, platform, self } = this.#ports;
    markFolders(platform.storage.dir, self.life);
    const links = new CarrierLinks({
      self,
      config: platform.cluster.link!,
      routes: routeNames(compileRoutes(platform)),
      row: childRow('tenant-host'),
      carriers: cluster.carriers,
      wantsKeys: () => callForKeys(keyCall),
      now,
      clock,
      log,
    });
    const own = { id: self.life, weight: platform.hosts };
    supervisor.shareOut({ far: links, self: own, node: self.node, now, before: counted });
  }
}
