/**
 * The one kind of fuel: all work that a caller or a tenant can make long or large on a host burns it before it runs, by the size of its
 * result.
 *
 * A unit stands for one small step: a call, a comparison, an item that is looked at or copied. On the machines that this was measured on a
 * step takes 20 to 100 ns and holds at most some 100 bytes. A text burns a unit for each 16 characters (`burnChars`). Work that costs more
 * than a step burns as many units as it takes steps. So a tank bounds time and memory at once, the same way on each machine.
 *
 * Each thread has one tank, since such work is synchronous. Outside of `fuelled` the tank is unlimited: work at start and while definitions
 * are loaded is not metered.
 */
import { limits } from '#config/limits.ts';

/** The fuel is gone. The work that asked for it has not begun. */
export class OutOfFuel extends Error {
  constructor() {
    super('out of fuel');
  }
}

const CHARS_PER_UNIT = 16;

const tank = { left: Infinity };

/** Spends units, before the work they stand for is done. Throws OutOfFuel when fewer are left, or when `units` is NaN or below 0; from then on the tank is empty. */
export function burn(units: number): void {
  const left = tank.left - units;
  if (units >= 0 && left >= 0) tank.left = left;
  else runDry();
}

/** Spends what a text of so many characters costs, before it is made. */
export function burnChars(chars: number): void {
  burn(chars / CHARS_PER_UNIT);
}

function runDry(): never {
  if (tank.left !== Infinity) tank.left = 0;
  throw new OutOfFuel();
}

/**
 * Runs synchronous work that may burn so many units, and no more than a `fuelled` around it has left. What it burns counts there too.
 * Throws OutOfFuel when that is not enough.
 */
export function fuelled<T>(units: number, run: () => T): T {
  return fuelledWith(units, run, undefined);
}

/** `fuelled` for work with an argument: hot paths need not make a function for each call. */
export function fuelledWith<A, T>(units: number, run: (argument: A) => T, argument: A): T {
  const outer = tank.left;
  const granted = units < outer ? units : outer;
  tank.left = granted;
  try {
    return run(argument);
  } finally {
    tank.left = outer === Infinity ? Infinity : outer - (granted - tank.left);
  }
}

/** Units that are left; Infinity outside of `fuelled`. */
export function fuelLeft(): number {
  return tank.left;
}

/** What the rules of one row may burn together: a slice with less left ends before the next row, so that each row's rules have all that they may burn. */
const ROW_UNITS = limits.rules.perRowMax * limits.rules.evaluationUnits;

export function hasFuelForRow(): boolean {
  return fuelLeft() >= ROW_UNITS;
}

/** Runs a stretch of a turn with the fuel of one stretch, or with what is left of it. */
export function inFuel<T>(run: () => T): T {
  return fuelled(limits.host.turnUnits, run);
}

/** Whether what runs now is bounded by fuel already. */
export function isFuelled(): boolean {
  return fuelLeft() !== Infinity;
}
