/** What the node has to do with the threads of one kind, besides starting and ending them: the supervisor calls it, and knows nothing of its verbs. */
import type { ChildRow } from './children.ts';
import type { Thread } from './thread.ts';

/** What a room sees of a thread. */
export type Attached = Pick<Thread, 'channel' | 'gone'>;

export interface ThreadRoom {
  /** A thread of this kind has started, a spare one too, and was asked nothing yet: declares who answers what it asks and tells. */
  attach(thread: Attached): void;
  /** The one thread of this kind has opened: what it must know before it serves. */
  opened?(thread: Attached): Promise<void>;
  /** The threads of this kind are about to be drained: what others still have for them must have reached them. */
  draining?(): Promise<void>;
}

/** A room for each row of children.ts. */
export type ThreadRooms = { readonly [N in ChildRow['name']]: ThreadRoom };
