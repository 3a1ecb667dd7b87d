/** Digits of a number as a text. */

export const ZERO = 0x30;

/** Digits without the zeros at their end. A regular expression would look at each run of zeros once for each of them. */
export function withoutLastZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits.charCodeAt(end - 1) === ZERO) end--;
  return digits.slice(0, end);
}
