/** Serial numbers: 127 random bits, positive and never zero (RFC 5280 §4.1.2.2; docs/contract/vault-pki.md §1.2). */

const SERIAL_BYTES = 16;
const TEXT = /^[0-9A-F]{1,40}$/;

/** Sixteen bytes of `random` with the first bit cleared. */
export function newSerial(random: (bytes: number) => Buffer): Buffer {
  const bytes = random(SERIAL_BYTES);
  bytes[0]! &= 0x7f;
  return bytes.every((byte) => byte === 0) ? newSerial(random) : bytes;
}

/** The written form of a serial: upper-case hexadecimal of whole bytes, without leading zero bytes, as openssl and Node show it. */
export function serialText(bytes: Uint8Array): string {
  let from = 0;
  while (from < bytes.length - 1 && bytes[from] === 0) from++;
  return Buffer.from(bytes).subarray(from).toString('hex').toUpperCase();
}

/** A serial as people paste it (either case, colons, a leading 0x, leading zeros) in our form; null for any other text. */
export function parseSerial(text: string): string | null {
  const digits = text.replace(/^0x/i, '').replaceAll(':', '').toUpperCase();
  if (!TEXT.test(digits)) return null;
  const whole = digits.length % 2 === 0 ? digits : `0${digits}`;
  return serialText(Buffer.from(whole, 'hex'));
}

export const serialBytes = (text: string): Buffer => Buffer.from(text, 'hex');
