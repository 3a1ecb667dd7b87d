/** Exact decimals as PostgreSQL's `numeric` computes them, scale and rounding included. Values are canonical digits. */
import { shortestDecimal } from '#config/values/decimal.ts';
import { limits } from '#config/limits.ts';
import { SqlFault } from '../fault.ts';

interface Exact {
  readonly digits: bigint;
  readonly scale: number;
}

/** PostgreSQL's NUMERIC_MIN_SIG_DIGITS, NUMERIC_MAX_DISPLAY_SCALE and DEC_DIGITS (numeric.c). */
const SIGNIFICANT_MIN = 16;
const SCALE_MAX = 1000;
const GROUP_DIGITS = 4;

function exact(text: string): Exact {
  const point = text.indexOf('.');
  if (point < 0) return { digits: BigInt(text), scale: 0 };
  return { digits: BigInt(text.slice(0, point) + text.slice(point + 1)), scale: text.length - point - 1 };
}

function textOf(digits: bigint, scale: number): string {
  const negative = digits < 0n;
  const plain = (negative ? -digits : digits).toString();
  const sign = negative ? '-' : '';
  if (plain.length > limits.data.decimalCharsMax) throw new SqlFault('value overflows numeric format');
  if (scale === 0) return sign + plain;
  const padded = plain.padStart(scale + 1, '0');
  return `${sign}${padded.slice(0, -scale)}.${padded.slice(-scale)}`;
}

const power = (scale: number): bigint => 10n ** BigInt(scale);
const rescaled = ({ digits, scale }: Exact, to: number): bigint => digits * power(to - scale);

export function add(a: string, b: string): string {
  const left = exact(a);
  const right = exact(b);
  const scale = Math.max(left.scale, right.scale);
  return textOf(rescaled(left, scale) + rescaled(right, scale), scale);
}

export function subtract(a: string, b: string): string {
  return add(a, negate(b));
}

export function negate(a: string): string {
  const { digits, scale } = exact(a);
  return textOf(-digits, scale);
}

export function multiply(a: string, b: string): string {
  const left = exact(a);
  const right = exact(b);
  return textOf(left.digits * right.digits, left.scale + right.scale);
}

/** Rounds half away from zero at the scale that PostgreSQL picks: some 16 significant digits (numeric.c select_div_scale). */
export function divide(a: string, b: string): string {
  const left = exact(a);
  const right = exact(b);
  if (right.digits === 0n) throw new SqlFault('division by zero');
  const one = leading(left);
  const two = leading(right);
  const weight = one.weight - two.weight - (one.group <= two.group ? 1 : 0);
  const wanted = Math.max(SIGNIFICANT_MIN - weight * GROUP_DIGITS, left.scale, right.scale, 0);
  const scale = Math.min(wanted, SCALE_MAX);
  const shift = scale + right.scale - left.scale;
  const top = shift >= 0 ? left.digits * power(shift) : left.digits;
  const bottom = shift >= 0 ? right.digits : right.digits * power(-shift);
  return textOf(halfAway(top, bottom), scale);
}

/** The remainder; it has the sign of the dividend. */
export function modulo(a: string, b: string): string {
  const left = exact(a);
  const right = exact(b);
  if (right.digits === 0n) throw new SqlFault('division by zero');
  const scale = Math.max(left.scale, right.scale);
  return textOf(rescaled(left, scale) % rescaled(right, scale), scale);
}

/** Rounds half away from zero, to a scale that may be negative. */
export function round(a: string, to: number): string {
  const { digits, scale } = exact(a);
  if (to >= scale) return textOf(digits * power(Math.min(to, SCALE_MAX) - scale), Math.min(to, SCALE_MAX));
  const kept = halfAway(digits, power(scale - to));
  return to >= 0 ? textOf(kept, to) : textOf(kept * power(-to), 0);
}

/** Rounds towards zero. */
export function truncate(a: string, to: number): string {
  const { digits, scale } = exact(a);
  if (to >= scale) return round(a, to);
  const kept = digits / power(scale - to);
  return to >= 0 ? textOf(kept, to) : textOf(kept * power(-to), 0);
}

export function floor(a: string): string {
  const { digits, scale } = exact(a);
  const unit = power(scale);
  const whole = digits / unit;
  return textOf(digits % unit < 0n ? whole - 1n : whole, 0);
}

export function ceiling(a: string): string {
  return negate(floor(negate(a)));
}

export function sign(a: string): number {
  const { digits } = exact(a);
  return digits < 0n ? -1 : digits > 0n ? 1 : 0;
}

/** The number in its one shortest form: equal values give the same text. */
export function normal(a: string): string {
  return shortestDecimal(a);
}

function halfAway(top: bigint, bottom: bigint): bigint {
  const negative = top < 0n !== bottom < 0n;
  const over = top < 0n ? -top : top;
  const under = bottom < 0n ? -bottom : bottom;
  const rounded = (over * 2n + under) / (under * 2n);
  return negative ? -rounded : rounded;
}

/** The first group of four digits that is not zero, and its power of 10,000. */
function leading({ digits, scale }: Exact): { group: number; weight: number } {
  if (digits === 0n) return { group: 0, weight: 0 };
  const plain = (digits < 0n ? -digits : digits).toString();
  const whole = plain.length - scale;
  const weight = Math.ceil(whole / GROUP_DIGITS) - 1;
  const taken = whole - weight * GROUP_DIGITS;
  return { group: Number(plain.slice(0, taken).padEnd(taken, '0')), weight };
}
