/** Ids that the client makes: ULIDs, as the node's own (docs/contract/common.md §2.1). */

/** Crockford's base 32. */
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_CHARS = 10;
const CHARS = 26;

/** The time by the clock of this machine, and 80 random bits. */
export function newUlid(): string {
  const ms = Date.now();
  const digit = (byte: number, n: number): number => (n < TIME_CHARS ? ms / 32 ** (TIME_CHARS - 1 - n) : byte) & 31;
  return Array.from(crypto.getRandomValues(new Uint8Array(CHARS)), (byte, n) => LETTERS[digit(byte, n)]).join('');
}
