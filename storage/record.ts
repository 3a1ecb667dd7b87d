/** How a value lies in LMDB: record version (1 byte), CRC-32 of the payload (4 bytes, little endian), payload. */
import { crc32 } from 'node:zlib';
import { Packr } from 'msgpackr';
import { Corruption, NewerRecord } from './fault.ts';

const HEAD_BYTES = 5;

/**
 * Self-contained msgpack: no shared structures, so that any reader can decode a record alone. Byte fields are copied, for
 * the value that is decoded lies in a buffer that the next read overwrites.
 */
const packr = new Packr({ useRecords: false, mapsAsObjects: true, moreTypes: false, copyBuffers: true });

/** Wraps a payload with its version and CRC. */
export function seal(version: number, payload: Uint8Array): Buffer {
  const out = Buffer.allocUnsafe(HEAD_BYTES + payload.length);
  out[0] = version;
  out.writeUInt32LE(crc32(payload), 1);
  out.set(payload, HEAD_BYTES);
  return out;
}

/** The payload of a sealed value, checked; throws Corruption naming `where`. */
export function unseal(value: Uint8Array, where: string): Uint8Array {
  const payload = value.subarray(HEAD_BYTES);
  const stored = value[1]! | (value[2]! << 8) | (value[3]! << 16) | (value[4]! << 24);
  if (value.length < HEAD_BYTES || crc32(payload) !== stored >>> 0) throw new Corruption(where, 'CRC does not fit');
  return payload;
}

/** The payload of a sealed value, unchecked: for reads of very many values, where a damaged one costs no more than a wrong answer. */
export function payloadOf(value: Uint8Array): Uint8Array {
  return value.subarray(HEAD_BYTES);
}

export function recordVersion(value: Uint8Array): number {
  return value[0]!;
}

/** A plain value as a sealed msgpack record. */
export function encodeRecord(version: number, value: unknown): Buffer {
  return seal(version, packr.encode(value));
}

/** The record in a sealed value. Throws Corruption when its CRC does not fit, and NewerRecord when its shape is newer than `versionMax`. */
export function decodeRecord(value: Uint8Array, where: string, versionMax = 1): unknown {
  if (value[0]! > versionMax) refuseNewer(value, where, versionMax);
  return packr.decode(unseal(value, where));
}

/** A value whose CRC does not fit is damaged, whatever its first byte says. */
function refuseNewer(value: Uint8Array, where: string, versionMax: number): never {
  unseal(value, where);
  throw new NewerRecord(where, value[0]!, versionMax);
}
