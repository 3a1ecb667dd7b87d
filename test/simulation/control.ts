/** A fault that a simulation must notice. */
import type { Plant } from '#test/planted/plants.ts';
import type { ExtraRoom } from '#test/simulation/node/settings.ts';
import type { Simulated } from './simulations.ts';

export interface Control {
  readonly what: string;
  /** A bug that is put into the text of its module. */
  readonly plant?: Omit<Plant, 'foundBy' | 'what'>;
  /** Syncs of files and directories whose path, below the disk's root, fits this do nothing. */
  readonly ignores?: RegExp;
  /** Rooms beside the host that the fault needs, the audit log where absent: a process loads no others. */
  readonly rooms?: readonly ExtraRoom[];
  /** Which simulation notices it: that of a node where absent. */
  readonly of?: Simulated;
}
