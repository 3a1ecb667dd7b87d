/** 64-bit integers as their fields store them: numbers, or digits where a number would not be exact. */
import { integerValue } from '#config/values/decimal.ts';
import { SqlFault } from '../fault.ts';

export type Integer = number | string;

/** The integer, or a fault when it has more than 64 bits. */
export function integerOf(value: bigint | number): Integer {
  const integer = integerValue(typeof value === 'bigint' ? value.toString() : value);
  if (integer === undefined) throw new SqlFault('bigint out of range');
  return integer;
}

type Small = (a: number, b: number) => number;
type Large = (a: bigint, b: bigint) => bigint;

/** Computes with doubles where the result is exact, else with bigints. */
function operation(small: Small, large: Large): (a: Integer, b: Integer) => Integer {
  return (a, b) => {
    if (typeof a === 'number' && typeof b === 'number') {
      const result = small(a, b);
      if (Number.isSafeInteger(result)) return result + 0;
    }
    return integerOf(large(BigInt(a), BigInt(b)));
  };
}

export const add = operation(
  (a, b) => a + b,
  (a, b) => a + b,
);
export const subtract = operation(
  (a, b) => a - b,
  (a, b) => a - b,
);
export const multiply = operation(
  (a, b) => a * b,
  (a, b) => a * b,
);

const quotient = operation(
  (a, b) => (a - (a % b)) / b,
  (a, b) => a / b,
);
const remainder = operation(
  (a, b) => a % b,
  (a, b) => a % b,
);

/** Rounds towards zero. */
export function divide(a: Integer, b: Integer): Integer {
  if (b === 0) throw new SqlFault('division by zero');
  return quotient(a, b);
}

export function modulo(a: Integer, b: Integer): Integer {
  if (b === 0) throw new SqlFault('division by zero');
  return remainder(a, b);
}

export function negate(a: Integer): Integer {
  return typeof a === 'number' ? 0 - a : integerOf(-BigInt(a));
}
