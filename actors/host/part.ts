/** What a room keeps for a tenant that is awake. */
import type { Activation } from './activation.ts';

/** The key of one such thing, which knows its type; the thing lives as long as the activation. */
export class Part<T extends object> {
  readonly #kept = new WeakMap<Activation, T>();
  readonly #name: string;
  readonly #make: (() => T) | null;

  /** `make` makes it when it is first asked for. Without `make` its room sets it in the service's activate(). */
  constructor(name: string, make: (() => T) | null = null) {
    this.#name = name;
    this.#make = make;
  }

  set(activation: Activation, part: T): void {
    this.#kept.set(activation, part);
  }

  /** Undefined where it was not set. */
  find(activation: Activation): T | undefined {
    return this.#kept.get(activation);
  }

  /** Throws where it was not set and has no `make`. */
  of(activation: Activation): T {
    return this.#kept.get(activation) ?? this.#first(activation);
  }

  #first(activation: Activation): T {
    if (this.#make === null) throw new Error(`no ${this.#name} was made for this tenant`);
    const part = this.#make();
    this.#kept.set(activation, part);
    return part;
  }
}
