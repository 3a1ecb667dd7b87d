/** Exact sums: integers and decimals as they are stored, numbers as doubles. */
import type { StoredType } from '../../schema/stored.ts';
import { FIELD_TYPES } from '#config/values/field-types.ts';
import type { Order } from '#config/values/type-row.ts';

export interface Sum {
  add(value: unknown): void;
  /** The sum as a field of the type would store it. */
  value(): number | string;
  /** The sum as a double. */
  near(): number;
}

/** Makes empty sums; null for orders whose values are no numbers. */
const SUMS: Readonly<Record<Order, (() => Sum) | null>> = {
  text: null,
  truth: null,
  integer: () => new ExactSum(true),
  double: () => new DoubleSum(),
  decimal: () => new ExactSum(false),
};

/** An empty sum of values of a type. Throws for a type whose values cannot be added up. */
export function sumOf(type: StoredType): Sum {
  const { order } = FIELD_TYPES[type];
  const begin = order === null ? null : SUMS[order];
  if (begin === null) throw new Error(`values of type ${type} have no sum`);
  return begin();
}

class DoubleSum implements Sum {
  #sum = 0;

  add(value: unknown): void {
    this.#sum += value as number;
  }

  value(): number {
    return this.#sum;
  }

  near(): number {
    return this.#sum;
  }
}

/** Adds at the largest scale among the values so far. */
class ExactSum implements Sum {
  readonly #integer: boolean;
  #unscaled = 0n;
  #scale = 0;

  constructor(integer: boolean) {
    this.#integer = integer;
  }

  add(value: unknown): void {
    const text = String(value);
    const point = text.indexOf('.');
    const scale = point < 0 ? 0 : text.length - point - 1;
    if (scale > this.#scale) this.#rescale(scale);
    this.#unscaled += BigInt(text.replace('.', '')) * 10n ** BigInt(this.#scale - scale);
  }

  #rescale(scale: number): void {
    this.#unscaled *= 10n ** BigInt(scale - this.#scale);
    this.#scale = scale;
  }

  value(): number | string {
    if (!this.#integer) return this.#text();
    const near = Number(this.#unscaled);
    return Number.isSafeInteger(near) ? near : this.#unscaled.toString();
  }

  near(): number {
    return Number(this.#text());
  }

  #text(): string {
    if (this.#scale === 0) return this.#unscaled.toString();
    const negative = this.#unscaled < 0n;
    const digits = (negative ? -this.#unscaled : this.#unscaled).toString().padStart(this.#scale + 1, '0');
    return `${negative ? '-' : ''}${digits.slice(0, -this.#scale)}.${digits.slice(-this.#scale)}`;
  }
}
