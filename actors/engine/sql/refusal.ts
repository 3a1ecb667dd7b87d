/** Thrown when the engine refuses a step of a statement: the statement ends, and the caller gets that failure. */
import { isFailure } from '../rows/failure.ts';
import type { Failure } from '../rows/failure.ts';

export class SqlRefusal extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** The value; throws SqlRefusal for a failure. */
export function accepted<T>(value: T | Failure): T {
  if (isFailure(value)) throw new SqlRefusal(value);
  return value;
}
