/** Ids that the client makes: ULIDs, as the node's own (docs/contract/common.md §2.1). */

/** Crockford's base 32. */
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_CHARS = 10;
const RANDOM_CHARS = 16;

/** The time by the clock of this machine, and 80 random bits. */
export function newUlid(): string {
  let ms = Date.now();
  let time = '';
  for (let n = 0; n < TIME_CHARS; n++, ms = Math.floor(ms / 32)) time = LETTERS[ms % 32]! + time;
  const random = Array.from(crypto.getRandomValues(new Uint8Array(RANDOM_CHARS)), (byte) => LETTERS[byte & 31]!);
  return time + random.join('');
}
