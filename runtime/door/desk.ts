/** The door's view of a thread that answers requests: where its frames go, and whether it is there. */
import type { Outbox } from '#actors/protocol/channel.ts';

export class Desk {
  readonly name: string;
  /** Null while its thread restarts. */
  outbox: Outbox | null = null;
  /** Requests sent and not yet answered. */
  inFlight = 0;

  constructor(name: string) {
    this.name = name;
  }
}
