import type { Channel } from '#actors/protocol/channel.ts';
import type { ChildRow } from './children.ts';

/** A thread as the supervisor holds it; child.ts makes real ones. */
export interface Thread {
  readonly row: ChildRow;
  readonly channel: Channel;
  /** Its sign of life (actors/host/pulse.ts). */
  readonly pulse: Int32Array;
  /** Milliseconds that its event loop has waited for events so far; the thread is not asked. */
  readonly idleMs: number;
  /** Resolves with the reason once it is gone; never rejects. */
  readonly gone: Promise<string>;
  /** Ends it at once, whatever it does. */
  kill(): Promise<void>;
}
