import type { Channel } from '#actors/protocol/channel.ts';
import type { ChildRow } from './children.ts';

/** A thread as the supervisor holds it; child.ts makes real ones. */
export interface Thread {
  readonly row: ChildRow;
  readonly channel: Channel;
  /** Shared memory in which it shows that it runs (actors/host/pulse.ts). */
  readonly pulse: Int32Array;
  /** Milliseconds that its event loop has waited for events so far; read without asking the thread. */
  readonly idleMs: number;
  /** Resolves with the reason once it is gone; never rejects. */
  readonly gone: Promise<string>;
  /** Ends it at once. */
  kill(): Promise<void>;
}
