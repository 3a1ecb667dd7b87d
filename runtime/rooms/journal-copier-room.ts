/** The room of the thread that copies the journals: it says how far the copy is. */
import type { JournalCopyNews } from '#actors/protocol/topics.ts';
import type { Attached, ThreadRoom } from '#runtime/supervisor/room.ts';

export interface JournalCopierRoomPorts {
  copied(news: JournalCopyNews): void;
}

export class JournalCopierRoom implements ThreadRoom {
  readonly #ports: JournalCopierRoomPorts;

  constructor(ports: JournalCopierRoomPorts) {
    this.#ports = ports;
  }

  attach({ channel }: Attached): void {
    channel.answer('journal.copied', (news) => {
      this.#ports.copied(news);
      return null;
    });
  }
}
