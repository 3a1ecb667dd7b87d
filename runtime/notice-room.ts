/**
 * Main's part of intake's notices: it passes them on and keeps nothing. A courier that is new has nothing either, so the outbox is asked
 * to offer again; a writer that is new offers by itself, and the courier knows what it holds already.
 */
import type { Channel } from '#actors/protocol/channel.ts';

export class NoticeRoom {
  #writer: Channel | null = null;
  #courier: Channel | null = null;

  /** The intake writer runs, or will when it has opened its store. */
  attachWriter(channel: Channel): void {
    this.#writer = channel;
    channel.answer('notice.offer', (notices) => {
      this.#courier?.tell('courier.notify', notices);
      return null;
    });
  }

  /** A courier runs. */
  attachCourier(channel: Channel): void {
    this.#courier = channel;
    channel.answer('courier.notified', (settled) => {
      this.#writer?.tell('notice.settled', settled);
      return null;
    });
    this.#writer?.tell('notice.again', null);
  }
}
