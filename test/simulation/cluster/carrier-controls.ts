/** Faults of nodes that run hosts for the one that serves, which must be noticed; which rule each breaks: docs/decisions/storage.md ST-48. */
import type { Control } from '#test/simulation/control.ts';

const CARRYING = 'runtime/cluster/carrying.ts';

const of = (what: string, file: string, find: string, put: string): Control => ({
  what,
  of: 'carriers',
  plant: { file, find, put },
});

export const CARRIER_CONTROLS: Readonly<Record<string, Control>> = {
  'serves-beside-carriers': of(
    'A life that has the place claims shards that others have open for the one before.',
    'runtime/cluster/cluster-node.ts',
    'const isAlone = await this.#membership.outlives(sight);',
    'const isAlone = true;',
  ),
  'carries-without-word': of(
    'A node carries before the log has taken its word.',
    CARRYING,
    'if (!(await this.#says(serving))) {',
    'if ((void this.#says(serving).catch(() => undefined), serving) === null) {',
  ),
  'carrier-goes-on': of(
    'A node carries on for a life that serves no more.',
    CARRYING,
    'if (serving !== this.#served || served?.isFenced !== false)',
    'if (served === undefined)',
  ),
  'released-unasked': of(
    'A place opens elsewhere although its carrier may have it still.',
    'runtime/cluster/carriers.ts',
    'while (!(await untilKnown(() => this.#isReleased(id), this.#pause)))',
    "while (id === '')",
  ),
  'cleared-early': of(
    'A node says that it carries nothing while it has shards open.',
    CARRYING,
    'if (this.#shards.size > 0 || this.#served === null) return;',
    'if (this.#served === null) return;',
  ),
};
