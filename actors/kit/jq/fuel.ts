/** Steps of the evaluation that runs on this thread: one at a time, since an evaluation is synchronous. */
import { OutOfSteps } from './faults.ts';

const tank = { left: 0 };

/** Gives an evaluation its steps. */
export function fill(steps: number): void {
  tank.left = steps;
}

/** Spends steps; throws OutOfSteps when they are gone. Whatever can be long counts: items, calls, copied members, characters. */
export function burn(steps: number): void {
  tank.left -= steps;
  if (tank.left < 0) throw new OutOfSteps();
}
