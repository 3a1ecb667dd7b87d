/**
 * Which doors of other nodes were told where the host of a tenant runs, at the node that serves. A door is told with the first request of a tenant that it sends here, and told otherwise as soon as anything is
 * to be decided of that tenant's requests here, or its host is to move. Rows of the platform file that limit rates, and tenants with a quota or a standing, are decided here alone.
 */
import { limits } from '#config/limits.ts';
import type { Flat } from '#actors/protocol/frame.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import type { CarriedAt } from '#runtime/supervisor/tenant-hosts.ts';
import type { LinkEnd } from './link-end.ts';
import { readCounts, recallFrame, referralFrame } from './referral-frames.ts';

const { referralsMax } = limits.cluster.link;

export interface ReferralsPorts {
  /** Where the host of a tenant runs; null where this node runs it, or has something to decide of the tenant's requests. */
  readonly where: (tenant: TenantEntry) => CarriedAt | null;
  /** Requests of a tenant that other nodes have answered without this one. */
  readonly counted: (tenantNo: number, requests: number) => void;
}

export class Referrals {
  readonly #ports: ReferralsPorts;
  readonly #doors = new Set<ReferredDoor>();

  constructor(ports: ReferralsPorts) {
    this.#ports = ports;
  }

  /** How many tenants the doors of other nodes were told of. */
  get count(): number {
    return [...this.#doors].reduce((sum, { count }) => sum + count, 0);
  }

  /** The link of a door of the node that has this life. */
  open(end: Pick<LinkEnd, 'send'>, life: string): ReferredDoor {
    const door: ReferredDoor = new ReferredDoor(end, life, {
      ...this.#ports,
      of: (id) => [...this.#doors].find((one) => one.life === id) ?? null,
      over: () => this.#doors.delete(door),
    });
    this.#doors.add(door);
    return door;
  }

  /** Something is to be decided here of the tenant at this position. */
  recall(key: string): void {
    for (const door of this.#doors) door.recall(key);
  }

  recallAll(): void {
    for (const door of this.#doors) door.recallAll();
  }

  /** The host of a place is gone, or moves. */
  recallPlace(place: number): void {
    for (const door of this.#doors) door.recallPlace(place);
  }
}

interface DoorPorts extends ReferralsPorts {
  /** The door of the node that has a life; null where it has none here. */
  of(life: string): ReferredDoor | null;
  over(): void;
}

class ReferredDoor {
  readonly life: string;
  readonly #end: Pick<LinkEnd, 'send'>;
  readonly #ports: DoorPorts;
  /** By position: the place. */
  readonly #told = new Map<string, number>();

  constructor(end: Pick<LinkEnd, 'send'>, life: string, ports: DoorPorts) {
    this.#end = end;
    this.life = life;
    this.#ports = ports;
  }

  get count(): number {
    return this.#told.size;
  }

  /** A request of the tenant came over this link. The node that has its host is told first: it must know the tenant before it gets requests of others' doors. */
  offer(tenant: TenantEntry | undefined): void {
    if (tenant === undefined || this.#told.has(tenant.position.key)) return;
    const at = this.#ports.where(tenant);
    const carrier = at === null ? null : this.#ports.of(at.id);
    if (at === null || carrier === null || !carrier.#tell(tenant, at)) return;
    this.#tell(tenant, at);
  }

  /** Takes what the door has counted. Throws LinkFault for what is none. */
  takeCounts(frame: Flat): void {
    readCounts(frame, (no, count) => this.#ports.counted(no, count));
  }

  recall(key: string): void {
    if (this.#told.delete(key)) this.#end.send(recallFrame(key));
  }

  recallAll(): void {
    if (this.#told.size > 0) this.#end.send(recallFrame(''));
    this.#told.clear();
  }

  recallPlace(place: number): void {
    for (const [key, at] of this.#told) if (at === place) this.recall(key);
  }

  /** The link is lost. */
  lost(): void {
    this.#ports.over();
  }

  /** Whether the door knows the tenant now. */
  #tell({ no, position: { key }, shard }: TenantEntry, at: CarriedAt): boolean {
    if (this.#told.has(key)) return true;
    if (this.#told.size >= referralsMax) return false;
    this.#told.set(key, at.place);
    this.#end.send(referralFrame({ ...at, key, no, shard }));
    return true;
  }
}

export type { ReferredDoor };
