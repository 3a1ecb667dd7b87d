/** Signed notes, checkpoints and keys as the log writes them. Source: C2SP signed-note ("Format", "Verifier keys") and C2SP tlog-checkpoint. Pure; signatures by WebCrypto. */
import { fromBase64, isSame, joined, sha256, utf8, type Bytes } from './bytes.ts';

const ED25519 = 0x01;
const KEY_ID_BYTES = 4;
const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
/** SubjectPublicKeyInfo of Ed25519 up to the key (RFC 8410 §4). */
const SPKI_HEAD = Uint8Array.of(0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00);
const LINE = /^\u2014 ([^\s+]+) ([A-Za-z0-9+/]+={0,2})$/u;

interface Signature {
  readonly name: string;
  readonly keyId: Bytes;
  readonly bytes: Bytes;
}

interface Note {
  /** Ends in a newline; this is what is signed. */
  readonly text: string;
  readonly signatures: readonly Signature[];
}

export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  readonly root: Bytes;
  readonly note: Note;
}

export interface LogKey {
  /** The name that the key signs under; null where it came without one, as PEM does: then the key id binds the name of the note. */
  readonly name: string | null;
  readonly bytes: Bytes;
}

function readNote(whole: string): Note | null {
  const end = whole.lastIndexOf('\n\n');
  if (end < 0 || !whole.endsWith('\n')) return null;
  const lines = whole
    .slice(end + 2, -1)
    .split('\n')
    .map(signatureOf);
  if (lines.some((line) => line === null)) return null;
  return { text: whole.slice(0, end + 1), signatures: lines as Signature[] };
}

function signatureOf(line: string): Signature | null {
  const [, name, base64] = LINE.exec(line) ?? [];
  const bytes = base64 === undefined ? null : fromBase64(base64);
  if (bytes === null || bytes.length <= KEY_ID_BYTES) return null;
  return { name: name!, keyId: bytes.slice(0, KEY_ID_BYTES), bytes: bytes.slice(KEY_ID_BYTES) };
}

/** A checkpoint, whose signatures are not checked here; null where the text is none. */
export function readCheckpoint(text: string): Checkpoint | null {
  const note = readNote(text);
  const [origin, decimal, base64] = note?.text.split('\n') ?? [];
  const root = base64 === undefined ? null : fromBase64(base64);
  if (note === null || !origin || root === null || !/^(?:0|[1-9]\d*)$/.test(decimal ?? '')) return null;
  const size = Number(decimal);
  return Number.isSafeInteger(size) ? { origin, size, root, note } : null;
}

async function keyIdOf(name: string, key: Bytes): Promise<Bytes> {
  return (await sha256(joined(utf8(`${name}\n`), Uint8Array.of(ED25519), key))).slice(0, KEY_ID_BYTES);
}

/** The key of a text that a person pastes: a verifier key (`name+id+base64`) or PEM; null where it is neither, or of another kind than Ed25519. */
export async function readKey(text: string): Promise<LogKey | null> {
  const trimmed = text.trim();
  const pem = /^-----BEGIN PUBLIC KEY-----([A-Za-z0-9+/=\s]+)-----END PUBLIC KEY-----$/.exec(trimmed)?.[1];
  if (pem !== undefined) {
    const der = fromBase64(pem.replaceAll(/\s/g, ''));
    const isEd25519 = der?.length === SPKI_HEAD.length + KEY_BYTES && isSame(der.slice(0, SPKI_HEAD.length), SPKI_HEAD);
    return isEd25519 ? { name: null, bytes: der.slice(SPKI_HEAD.length) } : null;
  }
  const [, name, id, base64] = /^([^+\s]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)$/.exec(trimmed) ?? [];
  const bytes = base64 === undefined ? null : fromBase64(base64);
  if (bytes?.length !== 1 + KEY_BYTES || bytes[0] !== ED25519) return null;
  const key = bytes.slice(1);
  const named = [...(await keyIdOf(name!, key))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return named === id ? { name: name!, bytes: key } : null;
}

/** Whether the note has a signature of the key and each of them is good. Throws where the browser knows no Ed25519. */
export async function isSigned({ text, signatures }: Note, { name, bytes }: LogKey): Promise<boolean> {
  const key = await crypto.subtle.importKey('raw', bytes, 'Ed25519', false, ['verify']);
  let own = 0;
  for (const line of signatures) {
    if (name !== null && line.name !== name) continue;
    if (!isSame(line.keyId, await keyIdOf(line.name, bytes))) continue;
    if (line.bytes.length !== SIGNATURE_BYTES) return false;
    if (!(await crypto.subtle.verify('Ed25519', key, line.bytes, utf8(text)))) return false;
    own++;
  }
  return own > 0;
}
