/**
 * An envelope: AES-256-GCM (NIST SP 800-38D) over bytes, with the layout of docs/contract/vault.md §5.1:
 * `term (u32) | version (1 byte) | nonce (12) | ciphertext | tag (16)`. The term names the key that sealed it; the associated data `tenant NUL name
 * NUL version` binds it to its place, so that no envelope can stand for another.
 */
import { createCipheriv, createDecipheriv } from 'node:crypto';

const ENVELOPE_VERSION = 1;
const TERM_BYTES = 4;
const HEAD_BYTES = TERM_BYTES + 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = 'aes-256-gcm';

/** No key of this vault sealed these bytes for this place: they are damaged, moved, or of another layout. */
export class EnvelopeBroken extends Error {}

/** The key of an envelope is missing. */
export class EnvelopeKeyMissing extends Error {}

/** The place that an envelope is bound to. */
export interface Place {
  readonly tenant: string;
  readonly name: string;
  readonly version: number;
}

const associated = ({ tenant, name, version }: Place): Buffer => Buffer.from(`${tenant}\0${name}\0${version}`);

/** Seals bytes under a key of 32 bytes; `nonce` is 12 fresh random bytes. */
export function closeEnvelope(key: Buffer, term: number, place: Place, nonce: Buffer, plain: Uint8Array): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32BE(term);
  head.writeUInt8(ENVELOPE_VERSION, TERM_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(associated(place));
  const body = cipher.update(plain);
  return Buffer.concat([head, nonce, body, cipher.final(), cipher.getAuthTag()]);
}

/** The term of the key that sealed it. Throws EnvelopeBroken on bytes that are not an envelope. */
export function termOf(envelope: Buffer): number {
  if (envelope.length < HEAD_BYTES + NONCE_BYTES + TAG_BYTES) throw new EnvelopeBroken('the envelope is cut short');
  const version = envelope.readUInt8(TERM_BYTES);
  if (version !== ENVELOPE_VERSION) throw new EnvelopeBroken(`envelopes of version ${version} are not known`);
  return envelope.readUInt32BE();
}

/** The bytes in it. Throws EnvelopeBroken when one bit of the envelope, of the key or of the place differs. */
export function openEnvelope(key: Buffer, place: Place, envelope: Buffer): Buffer {
  termOf(envelope);
  const bodyAt = HEAD_BYTES + NONCE_BYTES;
  const tagAt = envelope.length - TAG_BYTES;
  const decipher = createDecipheriv(CIPHER, key, envelope.subarray(HEAD_BYTES, bodyAt), { authTagLength: TAG_BYTES });
  decipher.setAAD(associated(place));
  decipher.setAuthTag(envelope.subarray(tagAt));
  const plain = decipher.update(envelope.subarray(bodyAt, tagAt));
  try {
    decipher.final();
  } catch {
    plain.fill(0);
    throw new EnvelopeBroken('the envelope was changed, moved, or sealed with another key');
  }
  return plain;
}

export const NONCE_LENGTH = NONCE_BYTES;
