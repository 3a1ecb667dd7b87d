/** Feeds a target with inputs, guided by the blocks that they reach. */
import { Random } from '#test/kit/random.ts';
import type { Coverage, Taken } from './coverage.ts';
import { usedMb } from './heap.ts';
import { mutated } from './mutate.ts';
import { shrunk } from './shrink.ts';
import type { Target } from './target.ts';
import { Trial } from './trial.ts';

export interface Round {
  readonly seed: number;
  readonly inputs: number;
  readonly coverage: Coverage;
}

export interface Report {
  readonly target: string;
  readonly tried: number;
  /** Functions and blocks of the modules under test that ran. */
  readonly blocks: number;
  /** Inputs kept because each reached a new block, the seeds included. */
  readonly kept: number;
  /** By how much memory grew over the second half, in megabytes. */
  readonly grownMb: number;
  /** In words that repeat it; null for none. */
  readonly failure: string | null;
}

/** Inputs between two looks at the counters, since a look costs more than most inputs. */
const BATCH = 64;
const SHOWN_CHARS_MAX = 300;

/** Tries so many inputs, fewer where one fails. */
export async function fuzz(target: Target, round: Round): Promise<Report> {
  return new Fuzzer(target, round).run();
}

class Failed extends Error {}

class Fuzzer {
  readonly #target: Target;
  readonly #round: Round;
  readonly #random: Random;
  readonly #corpus: Buffer[] = [];
  readonly #reached = new Set<string>();
  #trial!: Trial;
  #tried = 0;
  #atHalfMb = Infinity;

  constructor(target: Target, round: Round) {
    this.#target = target;
    this.#round = round;
    this.#random = new Random(round.seed);
  }

  async run(): Promise<Report> {
    const { name, seeds } = this.#target;
    // Modules that a first call loads come from the disk, in no countable time.
    for (const seed of seeds) await this.#target.run(Buffer.from(seed));
    using trial = new Trial();
    this.#trial = trial;
    this.#take();
    try {
      await this.#search(seeds.map((seed) => Buffer.from(seed)));
      // A seed that reaches nothing which another does not reach is sound all the same.
      this.#corpus.push(...seeds.map((seed) => Buffer.from(seed)));
      while (this.#tried < this.#round.inputs) {
        if (this.#atHalfMb === Infinity && this.#tried * 2 >= this.#round.inputs) this.#atHalfMb = usedMb();
        const length = Math.min(BATCH, this.#round.inputs - this.#tried);
        const inputs = Array.from({ length }, () => mutated(this.#random, this.#target, this.#corpus));
        this.#tried += length;
        await this.#search(inputs);
      }
      return this.#report(name, null);
    } catch (error) {
      if (error instanceof Failed) return this.#report(name, error.message);
      throw error;
    }
  }

  #report(target: string, failure: string | null): Report {
    const grownMb = failure === null ? Math.max(0, usedMb() - this.#atHalfMb) : 0;
    return { target, tried: this.#tried, blocks: this.#reached.size, kept: this.#corpus.length, grownMb, failure };
  }

  /** Runs them all. Where they reach something new, or take more steps than they may, halves of them run again until it is one input. */
  async #search(inputs: readonly Buffer[]): Promise<void> {
    for (const input of inputs) await this.#feed(input);
    const { blocks, steps } = this.#take();
    const most = inputs.reduce((sum, { length }) => sum + this.#target.stepsMax(length), 0);
    const isNew = [...blocks].some((block) => !this.#reached.has(block));
    const [first] = inputs;
    if (inputs.length === 1) {
      if (steps > most) throw this.#failed(`it takes ${steps} steps, and ${most} are the most`, first!);
      if (isNew) this.#corpus.push(first!);
    } else if (isNew || steps > most) {
      const half = Math.ceil(inputs.length / 2);
      await this.#search(inputs.slice(0, half));
      await this.#search(inputs.slice(half));
    }
    // What does not come again (a cache that is warm by now) guides to nothing.
    for (const block of blocks) this.#reached.add(block);
  }

  async #feed(input: Buffer): Promise<void> {
    const why = await this.#trial.whyOf(this.#target, input);
    if (why === null) return;
    const kind = async (other: Buffer): Promise<string | null> => {
      const found = await this.#trial.whyOf(this.#target, other);
      return found && kindOf(found);
    };
    const shorter = await shrunk(input, kind);
    throw this.#failed((await this.#trial.whyOf(this.#target, shorter)) ?? why, shorter);
  }

  #take(): Taken {
    return this.#round.coverage.take(this.#target.covers);
  }

  #failed(why: string, input: Buffer): Failed {
    const { name } = this.#target;
    const shown = JSON.stringify(input.toString('latin1').slice(0, SHOWN_CHARS_MAX));
    return new Failed(
      `${name}, seed ${this.#round.seed}: ${why}\n  input (base64): ${input.toString('base64')}\n  input: ${shown}`,
    );
  }
}

/** The failure without the numbers and texts of one input. */
const kindOf = (why: string): string => why.slice(0, 80).replaceAll(/\d+/g, '0');
