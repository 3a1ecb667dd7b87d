/** A number with its digits. Code that asks for no digits sees the double, also in JSON and between threads. */
export class LongNumber extends Number {
  readonly #digits: string;

  constructor(digits: string) {
    super(digits);
    this.#digits = digits;
  }

  /** As the text had them. */
  get digits(): string {
    return this.#digits;
  }
}
