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

/** A thread that another node runs for this one. */
export interface CarriedThread extends Thread {
  /** Of the node that runs it: its name, the id of its life, and where its link listens. */
  readonly carrier: { readonly node: string; readonly id: string; readonly link: string };
  /** Rises with each start of such a thread. */
  readonly start: number;
  /** Resolves with whether it has loaded its code. */
  readonly ready: Promise<boolean>;
  /** The door of that node hands it no further request. To be called before it is ended in order. */
  recall(): void;
  /** To be called before it is opened: false where that node may not open these shards, and its thread is of no use. */
  begin(shards: readonly number[]): Promise<boolean>;
  /** Resolves when another thread may open the shards: that node has said that this one is gone, or runs nothing for this node any more. Rejects where this node's own life is over. */
  released(): Promise<void>;
}

export function isCarried(thread: Thread): thread is CarriedThread {
  return 'carrier' in thread;
}
