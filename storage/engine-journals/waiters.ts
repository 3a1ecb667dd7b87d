/** Callbacks that wait for a number, in the order of the numbers and, for one number, of the calls. */
interface Waiter {
  readonly number: number;
  readonly call: () => void;
}

export class Waiters {
  #waiting: Waiter[] = [];

  add(number: number, then: () => void): void {
    let at = this.#waiting.length;
    // Most come in the order of their numbers.
    while (at > 0 && this.#waiting[at - 1]!.number > number) at--;
    if (at === this.#waiting.length) this.#waiting.push({ number, call: then });
    else this.#waiting.splice(at, 0, { number, call: then });
  }

  /** Calls those up to `number`. One that throws does not keep the next ones from their replies; its error surfaces as an uncaught one. */
  call(number: number): void {
    let count = 0;
    while (count < this.#waiting.length && this.#waiting[count]!.number <= number) count++;
    for (const { call } of this.#waiting.splice(0, count)) callSafely(call);
  }

  /** Forgets all of them: they have no answer. */
  drop(): void {
    this.#waiting = [];
  }
}

function callSafely(call: () => void): void {
  try {
    call();
  } catch (error) {
    setImmediate(() => {
      throw error;
    });
  }
}
