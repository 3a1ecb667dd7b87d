/** Ids as texts: what is a ULID, what is a UUID, and the bits of a ULID, which order as its text does. */

/** Crockford's base 32, as ULIDs spell it. */
export const ULID_ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a text is a ULID in upper case. */
export function isUlid(text: string): boolean {
  return ULID.test(text);
}

/** Whether a text is a UUID, in either case. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

const VALUES = new Uint8Array(128);
for (let i = 0; i < ULID_ALPHABET.length; i++) VALUES[ULID_ALPHABET.charCodeAt(i)] = i;
/** A method of Buffer that its types leave out: no encoding argument to look up. */
const packed = Buffer.alloc(16) as Buffer & { latin1Slice(from: number, to: number): string };

/** The 128 bits of a valid ULID as 16 latin1 chars, which order as the text does. */
export function ulidBytes(text: string): string {
  let bits = 0;
  let count = -2; // 26 chars carry 130 bits: the first two are always zero
  let at = 0;
  for (let i = 0; i < 26; i++) {
    bits = ((bits << 5) | VALUES[text.charCodeAt(i)]!) & 0xffff;
    count += 5;
    if (count < 8) continue;
    count -= 8;
    packed[at++] = bits >>> count;
  }
  return packed.latin1Slice(0, 16);
}
