/**
 * Which keys have signed a log, one after the other. When a log gets a new key, old and new one both sign a note that names the tree at
 * that moment:
 *
 *   <origin>/key-succession
 *   <size>
 *   <root in base64>
 *   <verifier key of the old key>
 *   <verifier key of the new key>
 *
 * The notes lie in the log's file `keys`, a JSON array in order. The old key counts up to that size and the new one from there on, so that
 * an old key that is stolen later can sign nothing more. The first line of such a note is never the origin of a checkpoint, so neither
 * can pass for the other.
 */
import { HASH_BYTES } from './hash.ts';
import { isSignedBy, keyIdOf, readNote, readVerifierKey, verifierKey, writeNote } from './note.ts';
import type { Note, Verifier, VerifyBytes } from './note.ts';
import type { TreeHead } from './checkpoint.ts';

/** In the directory of a log. */
export const KEYS_FILE = 'keys';

const LINES = 5;
const KIND = '/key-succession';

export interface Succession {
  readonly size: number;
  /** 32 bytes. */
  readonly root: Uint8Array;
  readonly old: Verifier;
  readonly next: Verifier;
}

/** A key, and the sizes of the trees that it may sign. */
export interface KeySpan {
  readonly publicKey: Uint8Array;
  readonly from: number;
  readonly to: number;
}

/** The text that both keys sign. */
export function successionText(origin: string, { size, root }: TreeHead, old: Verifier, next: Verifier): string {
  return `${origin}${KIND}\n${size}\n${Buffer.from(root).toString('base64')}\n${verifierKey(old)}\n${verifierKey(next)}\n`;
}

/** The file with one more note. `lines` are the signature lines of both keys. */
export function addSuccession(present: Uint8Array | null, text: string, lines: readonly string[]): Buffer {
  const notes = present === null ? [] : (JSON.parse(Buffer.from(present).toString()) as string[]);
  return Buffer.from(`${JSON.stringify([...notes, writeNote(text, lines)], null, 2)}\n`);
}

/** The successions of a log, in order; null where the file is anything but a chain that both keys of each link have signed. */
export function readSuccessions(bytes: Uint8Array, origin: string, verify: VerifyBytes): Succession[] | null {
  const notes = notesOf(bytes);
  if (notes === null) return null;
  const chain: Succession[] = [];
  for (const text of notes) {
    const note = readNote(Buffer.from(text));
    const link = note === null ? null : linkOf(note, origin);
    const before = chain.at(-1);
    if (note === null || link === null) return null;
    if (!isSignedBy(note, link.old, verify) || !isSignedBy(note, link.next, verify)) return null;
    if (before !== undefined && (!isSame(before.next, link.old) || link.size < before.size)) return null;
    chain.push(link);
  }
  return chain;
}

function notesOf(bytes: Uint8Array): readonly string[] | null {
  try {
    const notes: unknown = JSON.parse(Buffer.from(bytes).toString());
    return Array.isArray(notes) && notes.length > 0 && notes.every((note) => typeof note === 'string') ? notes : null;
  } catch {
    return null;
  }
}

function linkOf({ text }: Note, origin: string): Succession | null {
  const lines = text.split('\n');
  const [head, decimal = '', base64 = '', old = '', next = ''] = lines;
  if (lines.length !== LINES + 1 || head !== `${origin}${KIND}` || !/^(0|[1-9]\d*)$/.test(decimal)) return null;
  const [from, to] = [readVerifierKey(old), readVerifierKey(next)];
  const size = Number(decimal);
  const root = Buffer.from(base64, 'base64');
  if (from === null || to === null || !Number.isSafeInteger(size) || root.length !== HASH_BYTES) return null;
  return root.toString('base64') === base64 ? { size, root, old: from, next: to } : null;
}

const isSame = (a: Pick<Verifier, 'publicKey'>, b: Pick<Verifier, 'publicKey'>): boolean =>
  Buffer.compare(a.publicKey, b.publicKey) === 0;

/** Every key of the chain with its span, where `key` is one of them; the key alone for every size, where it is none. */
export function spansOf(chain: readonly Succession[], key: Uint8Array): KeySpan[] {
  const first = chain[0];
  if (first === undefined) return [{ publicKey: key, from: 0, to: Infinity }];
  const spans: KeySpan[] = [{ publicKey: first.old.publicKey, from: 0, to: first.size }];
  for (const [at, { next, size }] of chain.entries())
    spans.push({ publicKey: next.publicKey, from: size, to: chain[at + 1]?.size ?? Infinity });
  const isMember = spans.some((span) => isSame(span, { publicKey: key }));
  return isMember ? spans : [{ publicKey: key, from: 0, to: Infinity }];
}

/** Whether one of the keys whose span has this size has signed the note well. `name` null takes the name that the note gives. */
export function isSignedInSpan(
  note: Note,
  size: number,
  spans: readonly KeySpan[],
  name: string | null,
  verify: VerifyBytes,
): boolean {
  return spans.some(({ publicKey, from, to }) => {
    if (size < from || size > to) return false;
    const own = note.signatures.find(
      (line) => (name === null || line.name === name) && line.keyId.equals(keyIdOf(line.name, publicKey)),
    );
    return own !== undefined && isSignedBy(note, { name: own.name, publicKey }, verify);
  });
}
