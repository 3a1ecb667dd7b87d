/** What is fed with hostile inputs, and what must hold for each of them. */

/** How inputs are changed: as bytes alone, or also by what they consist of. */
export type Form = 'bytes' | 'text' | 'json' | 'der';

export interface Target {
  readonly name: string;
  readonly form: Form;
  /** Paths from the project's root, whose blocks count: an input that reaches a new one is kept and changed further. `node_modules/x/` for a library. */
  readonly covers: readonly string[];
  /** Sound inputs, as real callers send them. */
  readonly seeds: readonly (Buffer | string)[];
  /** Words of the grammar, which mutations put in. */
  readonly words: readonly string[];
  /** How many inputs of a cheap target one of this counts for; 1 where absent. */
  readonly costs?: number;
  /** No input is longer. */
  readonly bytesMax: number;
  /** How often blocks of `covers` may be entered for an input of so many bytes: a count, so that it is the same on each machine. */
  readonly stepsMax: (bytes: number) => number;
  /** It waits for the disk or another thread, in no countable number of turns: that it ends is left to the test's time. */
  readonly waits?: true;
  /**
   * Reads the input. What is declared to be refused is refused quietly; anything that is thrown is a failure: another exception, and what the target itself
   * found wrong (a round trip that gives another value, an undeclared status).
   */
  readonly run: (input: Buffer) => void | Promise<void>;
}

/** A module is loaded when its target is made, after coverage began: V8 counts blocks of what it compiles from then on. */
export type MakeTarget = () => Promise<Target>;

/** A bound for work that grows with its input. */
export const linear =
  (base: number, perByte: number) =>
  (bytes: number): number =>
    base + perByte * bytes;
