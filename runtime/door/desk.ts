/** The door's view of a thread that answers requests: where its frames go, and whether it is there. */
import { Outbox, type Channel } from '#actors/protocol/channel.ts';
import { REQUESTS, type Flat } from '#actors/protocol/frame.ts';

export class Desk {
  readonly name: string;
  /** Null while its thread restarts. */
  outbox: Outbox | null = null;
  /** Its place moves to another thread: this one answers what it has, and further requests get 503. */
  isClosed = false;
  /** Requests sent and not yet answered. */
  inFlight = 0;
  /** When its present thread, or the last one, took it, in milliseconds; null before the first. */
  since: number | null = null;
  /** Threads that have taken it since the node started. */
  threads = 0;

  constructor(name: string) {
    this.name = name;
  }

  /**
   * Joins the desk to a thread that serves. Requests leave at the end of the door's turn of the event loop, or earlier, before a batch of
   * replies is handled: several batches in a row may occupy the door for milliseconds.
   */
  connect(
    channel: Pick<Channel, 'onBatch' | 'sendBatch' | 'sendPiece'>,
    replies: (batch: Flat) => void,
    nowMs: number,
  ): void {
    const outbox = new Outbox(channel, REQUESTS, setImmediate);
    channel.onBatch = (batch) => {
      outbox.flush();
      replies(batch);
    };
    this.outbox = outbox;
    this.isClosed = false;
    this.since = nowMs;
    this.threads++;
  }

  /** Takes no further request; those that it took leave before anything that is said to the thread behind this. */
  close(): void {
    this.isClosed = true;
    this.outbox?.flush();
  }
}
