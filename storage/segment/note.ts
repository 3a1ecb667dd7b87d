/** Signed notes. Source: C2SP signed-note, "Format", "Signatures" and "Verifier keys"; Ed25519 is signature type 0x01. */
import { hash } from 'node:crypto';

const ED25519 = 0x01;
const KEY_ID_BYTES = 4;
const SIGNATURE_BYTES = 64;
const PUBLIC_KEY_BYTES = 32;
/** Type 0x04 of tlog-cosignature: an Ed25519 signature over a text that begins with the time. */
export const COSIGNATURE = 0x04;
const TIME_BYTES = 8;
const LINE_HEAD = '\u2014 ';

export interface NoteSignature {
  /** Key name, without spaces and `+`. */
  readonly name: string;
  /** First four bytes of SHA-256(name, newline, type, public key). */
  readonly keyId: Buffer;
  readonly bytes: Buffer;
}

export interface Note {
  /** Ends in a newline; this is what is signed. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

/** A signer: a key name and its raw Ed25519 public key. */
export interface Verifier {
  readonly name: string;
  readonly publicKey: Uint8Array;
}

/** Verifies an Ed25519 signature: by `node:crypto` on hot paths, by the second implementation offline. */
export type VerifyBytes = (signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array) => boolean;

function isKeyName(name: string): boolean {
  return name !== '' && !/[\s+\p{Cc}]/u.test(name);
}

/** The id by which a note names a key. */
export function keyIdOf(name: string, publicKey: Uint8Array, type: number = ED25519): Buffer {
  const text = Buffer.concat([Buffer.from(`${name}\n`), Buffer.of(type), publicKey]);
  return hash('sha256', text, 'buffer').subarray(0, KEY_ID_BYTES);
}

/** One signature line, without the blank line before it. */
export function signatureLine({ name, publicKey }: Verifier, signature: Uint8Array): string {
  return lineOf({ name, keyId: keyIdOf(name, publicKey), bytes: Buffer.from(signature) });
}

function lineOf({ name, keyId, bytes }: NoteSignature): string {
  return `${LINE_HEAD}${name} ${Buffer.concat([keyId, bytes]).toString('base64')}\n`;
}

/** The note of a text (ending in a newline) and its signature lines. */
export function writeNote(text: string, lines: readonly string[]): string {
  return `${text}\n${lines.join('')}`;
}

/** A note taken apart, or null: any byte that another writer of the same note would not have written is refused. */
export function readNote(bytes: Uint8Array): Note | null {
  const whole = utf8(bytes);
  const end = whole?.lastIndexOf('\n\n') ?? -1;
  if (whole === null || end < 0 || /[\0-\t\v-\x1f]/.test(whole)) return null;
  const lines = whole.slice(end + 2).split('\n');
  if (lines.pop() !== '') return null;
  const signatures = lines.map(readLine);
  if (signatures.length === 0 || signatures.some((line) => line === null)) return null;
  return { text: whole.slice(0, end + 1), signatures: signatures as NoteSignature[] };
}

function readLine(line: string): NoteSignature | null {
  const [head, name, base64, more] = line.split(' ');
  if (`${head} ` !== LINE_HEAD || !isKeyName(name ?? '') || base64 === undefined || more !== undefined) return null;
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length <= KEY_ID_BYTES || bytes.toString('base64') !== base64) return null;
  return { name: name!, keyId: bytes.subarray(0, KEY_ID_BYTES), bytes: bytes.subarray(KEY_ID_BYTES) };
}

function utf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Whether the note carries a good signature of this key; a bad one of it refuses the note. */
export function isSignedBy(note: Note, { name, publicKey }: Verifier, verify: VerifyBytes): boolean {
  const keyId = keyIdOf(name, publicKey);
  const own = note.signatures.filter((line) => line.name === name && line.keyId.equals(keyId));
  return own.length > 0 && own.every(({ bytes }) => isGood(bytes, Buffer.from(note.text), publicKey, verify));
}

function isGood(bytes: Uint8Array, message: Uint8Array, publicKey: Uint8Array, verify: VerifyBytes): boolean {
  return bytes.length === SIGNATURE_BYTES && verify(bytes, message, publicKey);
}

/** What a witness signs: C2SP tlog-cosignature, "Format". */
export function cosignedMessage(text: string, seconds: number): Buffer {
  return Buffer.from(`cosignature/v1\ntime ${seconds}\n${text}`);
}

/** A witness's signature line: the time it signed at, in seconds, before the signature. */
export function cosignatureLine({ name, publicKey }: Verifier, seconds: number, signature: Uint8Array): string {
  const bytes = Buffer.alloc(TIME_BYTES + SIGNATURE_BYTES);
  bytes.writeBigUInt64BE(BigInt(seconds));
  bytes.set(signature, TIME_BYTES);
  return lineOf({ name, keyId: keyIdOf(name, publicKey, COSIGNATURE), bytes });
}

/** The second at which a witness has signed the note, or null when it has not, or not well. */
export function cosignedAt(note: Note, { name, publicKey }: Verifier, verify: VerifyBytes): number | null {
  const keyId = keyIdOf(name, publicKey, COSIGNATURE);
  const own = note.signatures.find((line) => line.name === name && line.keyId.equals(keyId));
  if (own?.bytes.length !== TIME_BYTES + SIGNATURE_BYTES) return null;
  const seconds = Number(own.bytes.readBigUInt64BE());
  const good = verify(own.bytes.subarray(TIME_BYTES), cosignedMessage(note.text, seconds), publicKey);
  return good ? seconds : null;
}

/** `<name>+<key id>+<base64 of type and key>`: how tools are given a key (C2SP signed-note, "Verifier keys"). */
export function verifierKey({ name, publicKey }: Verifier, type: number = ED25519): string {
  const key = Buffer.concat([Buffer.of(type), publicKey]).toString('base64');
  return `${name}+${keyIdOf(name, publicKey, type).toString('hex')}+${key}`;
}

/** A verifier key taken apart, or null when it is none of Ed25519. */
export function readVerifierKey(text: string): Verifier | null {
  const match = /^([^+\s]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)$/.exec(text.trim());
  if (match === null) return null;
  const bytes = Buffer.from(match[3]!, 'base64');
  const type = bytes[0]!;
  const verifier = { name: match[1]!, publicKey: bytes.subarray(1) };
  if (bytes.length !== 1 + PUBLIC_KEY_BYTES || (type !== ED25519 && type !== COSIGNATURE)) return null;
  return verifierKey(verifier, type) === text.trim() ? verifier : null;
}
