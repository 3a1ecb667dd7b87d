/** How an evaluation ends other than by its results. None of these is an Error: no stack is taken, since a program may raise thousands and catch them. */
import type { Json } from './value.ts';

/** An error of the program itself; `try` catches it and sees `value`. */
export class JqError {
  readonly value: Json;

  constructor(value: Json) {
    this.value = value;
  }
}

/** Leaves a `label`; each activation of a label has its own. */
export class Break {
  readonly kind = 'break';
}

/**
 * The fast tier is not certain to answer as jq does: the reference tier must. Thrown at compile time for constructs that it does not have,
 * and at run time for values whose treatment depends on more than their value (a number's spelling, an exotic error message).
 */
export class Unsure {
  readonly why: string;

  constructor(why: string) {
    this.why = why;
  }
}
