/** What a client asks of a room, and hears of it. */
import type { ThreadName } from '#actors/protocol/topic.ts';
import type { SimulatedNode } from './supervisor.ts';

export interface Errand {
  /** The thread that answers. */
  readonly to: ThreadName;
  /** For the trace. */
  readonly line: string;
  /** In the room of that thread, which is open. `replied` is called when the answer leaves it. */
  take(node: SimulatedNode, replied: () => void): void;
}
