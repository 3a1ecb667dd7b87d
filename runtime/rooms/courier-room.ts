/** The courier as the node deals with it: mails and webhooks out of the tenants' outboxes, notices out of intake's. */
import type { Channel } from '#actors/protocol/channel.ts';
import type { NoticeRoom } from '#runtime/notice-room.ts';
import type { Attached, ThreadRoom } from '#runtime/supervisor/room.ts';

/** Main's part of one kind of outbox that the tenants have. */
export interface TenantPost {
  attachHost(host: Channel): void;
  attachCourier(courier: Channel, gone: Promise<unknown>): void;
  /** The directory has changed: tenants may be gone. */
  tenantsChanged(): void;
  /** Takes back what the courier holds of tenants that are gone; resolves when nothing of theirs can leave any more. */
  recall(): Promise<unknown>;
}

export interface CourierRoomPorts {
  readonly post: readonly TenantPost[];
  readonly notices: Pick<NoticeRoom, 'attachCourier'>;
}

export class CourierRoom implements ThreadRoom {
  readonly #ports: CourierRoomPorts;

  constructor(ports: CourierRoomPorts) {
    this.#ports = ports;
  }

  attach({ channel, gone }: Attached): void {
    for (const post of this.#ports.post) post.attachCourier(channel, gone);
    this.#ports.notices.attachCourier(channel);
  }

  /** A host tells of its tenants' outboxes. */
  attachHost(host: Channel): void {
    for (const post of this.#ports.post) post.attachHost(host);
  }

  tenantsChanged(): void {
    for (const post of this.#ports.post) post.tenantsChanged();
  }

  /** Takes back what the courier holds of tenants that are gone; resolves when nothing of theirs can leave any more. */
  async recall(): Promise<void> {
    await Promise.all(this.#ports.post.map((post) => post.recall()));
  }
}
