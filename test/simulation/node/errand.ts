/** What a client asks of a room. */
import type { ThreadName } from '#actors/protocol/topic.ts';
import type { SimulatedHost } from './host.ts';
import type { SimulatedIntake } from './intake/room.ts';

/** The rooms of a node that answer clients; each null until it is open. */
export interface Serving {
  readonly host: SimulatedHost | null;
  readonly intake: SimulatedIntake | null;
  /** Runs what follows from something that the room has waited for, unless the room is dead by now; a failure is that of the run. */
  guard(run: () => void): void;
}

export interface Errand {
  /** The thread that answers. */
  readonly to: ThreadName;
  /** For the trace. */
  readonly line: string;
  /** In the room of that thread, which is open. `replied` is called when the answer leaves it. */
  take(node: Serving, replied: () => void): void;
}
