/** A room: what the node does with the threads of one kind besides starting and ending them. The supervisor calls it and knows none of its verbs. */
import type { ChildRow } from './children.ts';
import type { Thread } from './thread.ts';

/** A thread as a room sees it. */
export type Attached = Pick<Thread, 'channel' | 'gone'>;

export interface ThreadRoom {
  /** A thread of this kind, or a spare, has started and was asked nothing yet: declares the handlers of its asks and messages. */
  attach(thread: Attached): void;
  /** The one thread of this kind has opened: tells it what it must know before it serves. */
  opened?(thread: Attached): Promise<void>;
  /** A thread of this kind is about to be ended while the others go on: resolves when all that it took is answered and durable. */
  sealing?(thread: Attached): Promise<void>;
  /** The threads of this kind are about to be drained: resolves when everything that is meant for them has reached them. */
  draining?(): Promise<void>;
}

/** A room for each row of children.ts. */
export type ThreadRooms = { readonly [N in ChildRow['name']]: ThreadRoom };
