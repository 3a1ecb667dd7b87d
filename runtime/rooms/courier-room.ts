/** The room of the courier, which mails, webhooks and notices reach through the relays (runtime/relays/). */
import type { Channel } from '#actors/protocol/channel.ts';
import type { KeptMail } from '#actors/protocol/mailbox.ts';
import type { Relays } from '#runtime/relays/relays.ts';
import type { ThreadRoom } from '#runtime/supervisor/room.ts';

export interface CourierRoomPorts {
  /** Main's end of the channel to the courier; undefined where there is none. */
  readonly courier: () => Pick<Channel, 'ask'> | undefined;
  readonly relays: Pick<Relays, 'draining'>;
  /** Resolves when the spans of the last requests have reached it. */
  readonly spansHandedOver: () => Promise<void>;
}

export class CourierRoom implements ThreadRoom {
  readonly #ports: CourierRoomPorts;

  constructor(ports: CourierRoomPorts) {
    this.#ports = ports;
  }

  /** Nothing to declare: the relays attach each thread themselves. */
  attach(): void {}

  /** The mails of the development mailbox, newest first. Rejects while the courier is started again. */
  async mails(): Promise<readonly KeptMail[]> {
    return (await this.#ports.courier()?.ask('courier.mailbox', null)) ?? [];
  }

  /** The courier sends what it has before it ends, so notices and spans that are on their way have to reach it first. */
  async draining(): Promise<void> {
    await Promise.all([this.#ports.relays.draining('courier'), this.#ports.spansHandedOver()]);
  }
}
