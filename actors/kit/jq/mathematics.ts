/** Mathematics whose result is exact, so that every library gives the same one; the others are left to the reference tier. */
import { Unsure } from './faults.ts';
import type { Json } from './value.ts';

const LEAST = 2 ** -1022;

function sure(value: Json): number {
  if (typeof value !== 'number' || !Number.isFinite(value) || (value !== 0 && Math.abs(value) < LEAST))
    throw new Unsure('an unusual number');
  return value;
}

/** Integers to integer powers, as long as nothing is rounded. */
export function pow(value: Json, exponent: Json): Json {
  const [base, to] = [sure(value), sure(exponent)];
  const power = base ** to;
  if (!Number.isInteger(base) || !Number.isInteger(to) || to < 0 || !Number.isSafeInteger(power))
    throw new Unsure('a power that is rounded');
  return power;
}

export function log2(value: Json): Json {
  const { fraction, exponent } = parted(sure(value));
  if (fraction !== 0.5) throw new Unsure('a logarithm that is rounded');
  return exponent - 1;
}

export function frexp(value: Json): Json {
  const number = sure(value);
  if (number === 0) return [0, 0];
  const { fraction, exponent } = parted(number);
  return [fraction, exponent];
}

export function logb(value: Json): Json {
  return parted(sure(value)).exponent - 1;
}

export function significand(value: Json): Json {
  return parted(sure(value)).fraction * 2;
}

export function ldexp(value: Json, exponent: Json): Json {
  const scaled = sure(value) * 2 ** whole(exponent);
  return sure(scaled);
}

export function nearbyint(value: Json): Json {
  const number = sure(value);
  const floor = Math.floor(number);
  const rest = number - floor;
  if (rest !== 0.5) return Math.sign(number) * Math.floor(Math.abs(number) + 0.5);
  return floor % 2 === 0 ? floor : floor + 1;
}

function whole(value: Json): number {
  const exponent = sure(value);
  if (!Number.isInteger(exponent) || Math.abs(exponent) > 1000) throw new Unsure('a power of another kind');
  return exponent;
}

/** The fraction from 0.5 to below 1, with the sign of the number. */
function parted(number: number): { readonly fraction: number; readonly exponent: number } {
  if (number === 0) throw new Unsure('nothing to take apart');
  let fraction = number;
  let exponent = 0;
  for (; Math.abs(fraction) >= 1; exponent++) fraction /= 2;
  for (; Math.abs(fraction) < 0.5; exponent--) fraction *= 2;
  return { fraction, exponent };
}
