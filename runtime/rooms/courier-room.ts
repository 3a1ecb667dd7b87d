/** The courier as the node deals with it: mails, webhooks and notices reach it through the relays (runtime/relays/). */
import type { Relays } from '#runtime/relays/relays.ts';
import type { ThreadRoom } from '#runtime/supervisor/room.ts';

export interface CourierRoomPorts {
  readonly relays: Pick<Relays, 'draining'>;
}

export class CourierRoom implements ThreadRoom {
  readonly #ports: CourierRoomPorts;

  constructor(ports: CourierRoomPorts) {
    this.#ports = ports;
  }

  /** The relays attach each thread themselves. */
  attach(): void {}

  /** It sends what it has: notices that are on their way get there first. */
  draining(): Promise<void> {
    return this.#ports.relays.draining('courier');
  }
}
