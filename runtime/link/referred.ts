/**
 * The tenants whose host a node carries, as the door of a node that stands by was told of them: their requests go to that node, or to a thread of this one, and not by the node that serves. Whatever is not
 * known, limited, or of no use now, goes by the node that serves.
 */
import { limits } from '#config/limits.ts';
import type { Flat } from '#actors/protocol/frame.ts';
import { parsePosition } from '#actors/protocol/position.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import type { Desk } from '#runtime/door/desk.ts';
import type { Mate } from './dial.ts';
import { textAt } from './frames.ts';
import type { OwnerLink } from './owner-link.ts';
import { RECALLED, REFERRED, countFrames, readReferral, type Referral } from './referral-frames.ts';

const { drainMs, referralsMax } = limits.cluster.link;
const IDLE_LOOK_MS = 50;

export interface ReferredPorts {
  /** The id of this node's life. */
  readonly life: string;
  /** The desk of a host that this node carries, as long as it takes requests; null where it has none of that start. */
  hosted(place: number, start: number): Desk | null;
  /** Makes a link to a node that carries hosts. */
  link(to: Mate): Pick<OwnerLink, 'desk' | 'isFull' | 'isUp' | 'stop'>;
}

interface Known {
  readonly entry: TenantEntry;
  readonly at: Referral;
}

interface Way {
  readonly link: ReturnType<ReferredPorts['link']>;
  /** Tenants that need it. */
  tenants: number;
}

export class Referred {
  readonly #ports: ReferredPorts;
  readonly #known = new Map<string, Known>();
  /** Links to nodes that carry hosts, by life. */
  readonly #ways = new Map<string, Way>();
  /** Requests that hosts here were sent, by number of the tenant, which were not told yet. */
  #counts = new Map<number, number>();
  #sent = 0;

  constructor(ports: ReferredPorts) {
    this.#ports = ports;
  }

  /** Of how many tenants it knows. */
  get count(): number {
    return this.#known.size;
  }

  /** Requests that went to hosts which this node carries, since its start. */
  get sent(): number {
    return this.#sent;
  }

  /** Whether a frame of the node that serves was about this. Throws LinkFault for what that one does not send. */
  take(frame: Flat): boolean {
    if (frame[0] === REFERRED) this.#learn(readReferral(frame));
    else if (frame[0] === RECALLED) this.#recall(textAt(frame, 1));
    else return false;
    return true;
  }

  get(key: string): TenantEntry | undefined {
    return this.#known.get(key)?.entry;
  }

  /** Where requests of a tenant can go; null where they go by the node that serves. `isSent`: another node has sent the request here, so it goes to no third one. */
  deskOf({ position: { key } }: TenantEntry, isSent: boolean): Desk | null {
    const at = this.#known.get(key)?.at;
    if (at === undefined) return null;
    if (at.id === this.#ports.life) return this.#ports.hosted(at.place, at.start);
    if (isSent) return null;
    const link = this.#ways.get(at.id)?.link;
    return link !== undefined && link.isUp && !link.isFull ? link.desk : null;
  }

  /** A request of a tenant goes to a host here. */
  counts(tenantNo: number): void {
    this.#sent++;
    this.#counts.set(tenantNo, (this.#counts.get(tenantNo) ?? 0) + 1);
  }

  /** What was counted since the last time, for the node that serves. */
  takeCounts(): Flat[] {
    if (this.#counts.size === 0) return [];
    const frames = countFrames(this.#counts);
    this.#counts = new Map();
    return frames;
  }

  /** The node that told all this is not there any more, or does not serve. */
  clear(): void {
    this.#known.clear();
    for (const { link } of this.#ways.values()) stopWhenIdle(link);
    this.#ways.clear();
  }

  #learn(at: Referral): void {
    const { key, no, shard } = at;
    if (this.#known.size >= referralsMax && !this.#known.has(key)) return;
    this.#need(at); // ahead of the next line: a link that both need stays
    this.#forget(key);
    const position = parsePosition(key)!;
    this.#known.set(key, { entry: { no, position, shard, state: 'active', localdir: null }, at });
  }

  #need(at: Referral): void {
    if (at.id === this.#ports.life) return;
    const way = this.#ways.get(at.id) ?? { link: this.#ports.link(at), tenants: 0 };
    way.tenants++;
    this.#ways.set(at.id, way);
  }

  #recall(key: string): void {
    if (key === '') this.clear();
    else this.#forget(key);
  }

  #forget(key: string): void {
    const at = this.#known.get(key)?.at;
    this.#known.delete(key);
    const way = at === undefined ? undefined : this.#ways.get(at.id);
    if (at === undefined || way === undefined || --way.tenants > 0) return;
    this.#ways.delete(at.id);
    stopWhenIdle(way.link);
  }
}

/** What was sent over a link is answered first, within the time that a node takes which gives its place up. */
function stopWhenIdle(link: Way['link'], leftMs: number = drainMs): void {
  if (link.desk.inFlight === 0 || !link.isUp || leftMs <= 0) link.stop();
  else setTimeout(() => stopWhenIdle(link, leftMs - IDLE_LOOK_MS), IDLE_LOOK_MS).unref();
}
