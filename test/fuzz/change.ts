/** A change of an input. */
import type { Random } from '#test/kit/random.ts';

/** What a change may draw on. */
export interface Source {
  readonly random: Random;
  /** Another input that is kept. */
  readonly other: Buffer;
  readonly words: readonly string[];
}

/** A change, or null where the input has nothing that it could change. */
export type Change = (input: Buffer, source: Source) => Buffer | null;
