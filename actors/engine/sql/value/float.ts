/** Doubles: the faults of their arithmetic in PostgreSQL, and their text. */
import { SqlFault } from '../fault.ts';

/** A result that must be a number: overflow and division by zero are faults, not infinities. */
export function finite(value: number): number {
  if (!Number.isFinite(value)) throw new SqlFault('value out of range: overflow');
  return value + 0;
}

export function divide(a: number, b: number): number {
  if (b === 0) throw new SqlFault('division by zero');
  return finite(a / b);
}

/** The shortest digits that parse to the same number, with an exponent below 1e-4 and from 1e15 (float.c, "%g"). */
export function textOf(value: number): string {
  const size = Math.abs(value);
  if (value === 0 || (size >= 1e-4 && size < 1e15)) return String(value);
  const [digits, exponent] = value.toExponential().split('e') as [string, string];
  return `${digits}e${exponent[0]}${exponent.slice(1).padStart(2, '0')}`;
}

/** Rounds half to even, as `rint` does. */
export function roundEven(value: number): number {
  const down = Math.floor(value);
  const rest = value - down;
  if (rest < 0.5) return down + 0;
  return (rest > 0.5 || down % 2 !== 0 ? down + 1 : down) + 0;
}

/** A double as an exact decimal: its first 15 significant digits, without an exponent (numeric.c float8_numeric). */
export function decimalOf(value: number): string {
  const [mantissa, exponent] = value.toExponential(14).split('e') as [string, string];
  const negative = mantissa.startsWith('-');
  const digits = mantissa.replace(/[-.]/g, '').replace(/0+$/, '') || '0';
  const point = Number(exponent) + 1;
  const body =
    point <= 0
      ? `0.${'0'.repeat(-point)}${digits}`
      : digits.length <= point
        ? digits.padEnd(point, '0')
        : `${digits.slice(0, point)}.${digits.slice(point)}`;
  return value === 0 ? '0' : negative ? `-${body}` : body;
}
