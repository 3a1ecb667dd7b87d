/** A node's part in links, on main: it takes requests of other nodes while it serves, and its doors send theirs to the one that serves while it stands by. */
import { limits } from '#config/limits.ts';
import type { Platform } from '#config/platform.ts';
import type { Log } from '#actors/host/activation.ts';
import type { Flat } from '#actors/protocol/frame.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import { compileRoutes } from '#runtime/compile-routes.ts';
import type { Desk } from '#runtime/door/desk.ts';
import type { FarSide } from '#runtime/door/far-gate.ts';
import { oneSample, type MetricFamily } from '#runtime/observe/exposition.ts';
import type { ServingDoors } from './far-requests.ts';
import type { Self } from './hello.ts';
import type { Hosting } from './hosting.ts';
import { LinkServer, type LinkServerPorts } from './link-server.ts';
import type { LinkConfig } from './link-tls.ts';
import type { Mate } from './dial.ts';
import { OwnerLink, type LinkWords, type Owner, type OwnerLinkPorts } from './owner-link.ts';
import { Referrals, type ReferralsPorts } from './referrals.ts';
import { Referred } from './referred.ts';

const { countsMs } = limits.cluster.link;

/** Of links to nodes that carry hosts. */
const TO_CARRIER: LinkWords = {
  up: 'the doors of this node send requests of some tenants to the node that carries their hosts',
  down: 'no link to a node that carries hosts: requests of their tenants go by the node that serves',
};

export interface NodeLinkPorts extends Pick<OwnerLinkPorts, 'lost' | 'replies'>, ReferralsPorts {
  /** The doors of this node, where they are open. */
  readonly doors: () => ServingDoors | null;
  readonly platform: Platform;
  readonly config: LinkConfig;
  readonly self: Self;
  readonly log: Log;
  /** Null where this node carries no hosts of another one. */
  readonly hosting: Hosting | null;
}

export class NodeLink implements FarSide {
  /** What doors of other nodes were told, while this one serves. */
  readonly referrals: Referrals;
  readonly #ports: LinkServerPorts;
  readonly #hosting: Hosting | null;
  readonly #owner: OwnerLink;
  /** What the doors of this node were told, while another one serves. */
  readonly #referred: Referred;
  #timer: NodeJS.Timeout | undefined;
  #server: LinkServer | null = null;
  #isFar = false;

  constructor({ config, counted, doors, hosting, log, lost, platform, replies, self, where }: NodeLinkPorts) {
    this.referrals = new Referrals({ counted, where });
    this.#hosting = hosting;
    const routes = compileRoutes(platform);
    const shared = { config, log, routes, self };
    const carriers = (): ServingDoors | null => ((hosting?.count ?? 0) > 0 && this.#isFar ? doors() : null);
    this.#ports = { ...shared, hosting, carriers, referrals: this.referrals };
    this.#referred = new Referred({
      life: self.life,
      hosted: (place, start) => hosting?.deskOf(place, start) ?? null,
      link: (to) => linkTo(to, new OwnerLink({ ...shared, lost, replies, words: TO_CARRIER })),
    });
    const heard = (frame: Flat): boolean => this.#referred.take(frame);
    this.#owner = new OwnerLink({ ...shared, lost, replies, heard, over: () => this.#referred.clear() });
  }

  referred(key: string): TenantEntry | undefined {
    return this.#referred.get(key);
  }

  deskOf(tenant: TenantEntry, isSent: boolean): Desk | null {
    return this.#referred.deskOf(tenant, isSent);
  }

  isHere(desk: Desk): boolean {
    return this.#hosting?.isHere(desk) === true;
  }

  counts(tenantNo: number): void {
    this.#referred.counts(tenantNo);
  }

  get isFar(): boolean {
    return this.#isFar;
  }

  get isUp(): boolean {
    return this.#owner.isUp;
  }

  get isFull(): boolean {
    return this.#owner.isFull;
  }

  get desk(): Desk {
    return this.#owner.desk;
  }

  /** Whether requests at the doors of this node reach the one that serves; null where they are its own, or closed. */
  get linked(): boolean | null {
    return this.#isFar ? this.isUp : null;
  }

  /** Why they do not; null where they do, or where that is not known yet. */
  get fault(): string | null {
    return this.#owner.fault;
  }

  /** Of the doors' side while another node serves, else of the side that takes requests of other nodes. */
  families(): MetricFamily[] {
    const { desk, losses } = this.#owner;
    if (!this.#isFar) {
      const nodes = 'Nodes whose doors send requests to this one.';
      const waiting = 'Requests of doors of other nodes that wait for an answer.';
      const told = 'Tenants of which doors of other nodes know that a node other than this one has their host.';
      return [
        oneSample('skep_link_nodes', 'gauge', nodes, this.#server?.nodes ?? 0),
        oneSample('skep_link_requests_taken', 'gauge', waiting, this.#server?.inFlight ?? 0),
        oneSample('skep_link_tenants_referred', 'gauge', told, this.referrals.count),
      ];
    }
    const up = 'Whether requests at the doors of this node reach the one that serves: 1, or 0 while they get 503.';
    const sent = 'Requests at the doors of this node that wait for an answer of the one that serves.';
    const lost = 'Links to the node that serves that were made and then lost.';
    const known = 'Tenants whose requests go from the doors of this node to the one that has their host.';
    const here = 'Requests at the doors of this node that went to hosts which it carries.';
    return [
      oneSample('skep_link_up', 'gauge', up, this.isUp ? 1 : 0),
      oneSample('skep_link_requests_sent', 'gauge', sent, desk.inFlight),
      oneSample('skep_link_lost_total', 'counter', lost, losses),
      oneSample('skep_link_tenants_known', 'gauge', known, this.#referred.count),
      oneSample('skep_link_requests_here_total', 'counter', here, this.#referred.sent),
    ];
  }

  /** Listens: other nodes are told `moved` until this one serves. Rejects where the address is taken, or a file cannot be used. */
  async open(): Promise<void> {
    const { config } = this.#ports;
    try {
      this.#server = await LinkServer.open(this.#ports);
    } catch (error) {
      const why = (error as Error).message;
      const mend = 'see to bind, certificate, key and ca of cluster.link in the platform file';
      throw new Error(`the link of this node cannot listen on ${config.bind}: ${why}\n    ${mend}`, { cause: error });
    }
  }

  /** The doors open while another node serves. */
  standsBy(): void {
    this.#isFar = true;
    this.#timer ??= setInterval(() => this.#tellCounts(), countsMs).unref();
  }

  /** As each beat sees it; null where none serves, or this node does. */
  follow(owner: Owner | null): void {
    if (this.#isFar) this.#owner.follow(owner);
  }

  /** This node serves: what waits for another one is answered 503, and its doors send to its own threads from now on. */
  serves(doors: ServingDoors): void {
    this.#stopFar();
    this.#isFar = false;
    this.#server?.serve(doors);
  }

  /** No request of another node is taken any more; those that were are answered. */
  async retire(): Promise<void> {
    await this.#server?.retire();
  }

  /** Certificates are read again. Throws where the files cannot be used. */
  renew(): void {
    this.#server?.renew();
  }

  async close(): Promise<void> {
    this.#stopFar();
    await this.#server?.close();
    this.#server = null;
  }

  #stopFar(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#tellCounts();
    this.#owner.stop();
  }

  #tellCounts(): void {
    if (this.#owner.isUp) for (const frame of this.#referred.takeCounts()) this.#owner.tell(frame);
  }
}

function linkTo(mate: Mate, link: OwnerLink): OwnerLink {
  link.follow(mate);
  return link;
}
