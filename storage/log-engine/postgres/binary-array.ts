/** bytea[] as PostgreSQL reads it in binary: the client would write an array as hexadecimal text, twice the bytes. */

const BYTEA = 17;
const HEAD_BYTES = 20;

export function byteArray(values: readonly Uint8Array[]): Buffer {
  const bytes = values.reduce((sum, { length }) => sum + 4 + length, HEAD_BYTES);
  const out = Buffer.allocUnsafe(bytes);
  let at = 0;
  // One dimension, no nulls, the type, how many, the first index.
  for (const number of [1, 0, BYTEA, values.length, 1]) at = out.writeInt32BE(number, at);
  for (const value of values) {
    at = out.writeInt32BE(value.length, at);
    out.set(value, at);
    at += value.length;
  }
  return out;
}
