/** A program of the fast tier: compiled once, run within the fuel that it is given. */
import { compile } from './compile.ts';
import { JqError, Unsure } from './faults.ts';
import { burn, fuelled } from '../pace/fuel.ts';
import type { Json } from './value.ts';
import type { Node } from './node.ts';
import { parseProgram } from './parser.ts';
import { checkLength, measureJson, plainText } from './text.ts';

export type Outcome =
  | { readonly kind: 'results'; readonly results: readonly Json[] }
  /** The program raised an error that nothing in it caught. */
  | { readonly kind: 'error'; readonly value: Json };

/** As text: what callers are given. */
export type Answer =
  | { readonly kind: 'body'; readonly text: string }
  | { readonly kind: 'failed'; readonly message: string };

export class Program {
  readonly #node: Node;

  private constructor(node: Node) {
    this.#node = node;
  }

  /** Throws Unsure for a program with constructs that the fast tier does not have, a faulty one included. */
  static compile(source: string): Program {
    return uncertainWhenDeep(() => new Program(compile(parseProgram(source), null)));
  }

  /**
   * The body of the answer, or the message of the error, over one input (plain JSON values; never changed), for at most `fuel` units.
   * `arrange` may change the results before they are written. Throws Unsure when jq's answer might differ, OutOfFuel when the fuel is not
   * enough.
   */
  answer(input: Json, fuel: number, arrange?: (results: readonly Json[]) => readonly Json[]): Answer {
    return fuelled(fuel, () => {
      const outcome = this.run(input);
      if (outcome.kind === 'error') return { kind: 'failed', message: messageOf(outcome.value) };
      return { kind: 'body', text: bodyOf(arrange?.(outcome.results) ?? outcome.results) };
    });
  }

  /** All results over one input. It burns the fuel of the `fuelled` around it; throws as `answer` does. */
  run(input: Json): Outcome {
    const results: Json[] = [];
    try {
      uncertainWhenDeep(() =>
        this.#node.run(input, null, (value) => {
          burn(1);
          results.push(value);
        }),
      );
    } catch (error) {
      if (error instanceof JqError) return { kind: 'error', value: error.value };
      throw error;
    }
    return { kind: 'results', results };
  }
}

/** jq's own message ends where the text has a NUL. */
function messageOf(value: Json): string {
  const message = uncertainWhenDeep(() => plainText(value));
  if (message.includes('\0')) throw new Unsure('NUL in a message');
  return message;
}

/** Bounds of the stack and of texts differ from jq's: beyond them the answer is not certain. */
function uncertainWhenDeep<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof RangeError) throw new Unsure(error.message);
    throw error;
  }
}

/** The body of the answer: nothing is null, one result stands alone, several are an array (docs/contract/data.md §2.2). */
function bodyOf(results: readonly Json[]): string {
  if (results.length === 0) return 'null';
  return uncertainWhenDeep(() => {
    checkLength(measureJson(results, checkFinite));
    return JSON.stringify(results.length === 1 ? results[0] : results);
  });
}

/** jq writes infinities as its largest number, and -0 as -0. */
function checkFinite(value: number): void {
  if (Math.abs(value) === Infinity || Object.is(value, -0)) throw new Unsure('the text of an unusual number');
}
