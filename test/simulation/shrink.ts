/** Makes a failing run smaller: fewer turns and fewer falls of the same seed, as long as it fails. */
import type { Outcome } from '#test/simulation/machine/run-on-machine.ts';
import type { Bounds } from '#test/simulation/node/settings.ts';

export interface Shrunk {
  readonly smallest: Outcome;
  readonly within: Bounds;
}

/** `again`: runs the seed within other bounds. */
export async function shrink(
  failed: Outcome,
  bounds: Bounds,
  again: (bounds: Bounds) => Promise<Outcome>,
): Promise<Shrunk> {
  let smallest = failed;
  let within = bounds;
  for (const what of ['falls', 'turns'] as const) {
    for (
      let count = 0;
      count < within[what];
      count = what === 'falls' ? count + 1 : Math.max(count + 1, Math.ceil(count * 1.3))
    ) {
      const tried = { ...within, [what]: count };
      const outcome = await again(tried);
      if (outcome.failure === null) continue;
      [smallest, within] = [outcome, tried];
      break;
    }
  }
  return { smallest, within };
}
