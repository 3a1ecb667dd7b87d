/** One run of a whole node: the door with its callers, and every other room with those who ask something of it, on one machine from one seed. */
import { DoorRun } from '#test/simulation/door/run.ts';
import { runOnMachine, type Options, type Outcome } from '#test/simulation/machine/run-on-machine.ts';
import type { Bounds } from '#test/simulation/node/settings.ts';
import { WholeBeside } from './beside.ts';
import { wholeSettingsOf } from './settings.ts';
// What it imports while it runs must be there: nothing in a run waits for real time.
import 'shamir-secret-sharing';

/** Runs a seed. Never throws: what is wrong is in the outcome. */
export function runWholeSeed(seed: number, bounds: Bounds, options: Options = {}): Promise<Outcome> {
  const settings = wholeSettingsOf(seed, bounds);
  return runOnMachine(
    seed,
    options,
    (world, machine) => new DoorRun(settings.door, world, machine, new WholeBeside(settings, world, machine)),
  );
}
