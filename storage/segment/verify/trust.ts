/** The one thing a verifier brings along: the log's public key. */
import { keyIdOf, isSignedBy } from '../note.ts';
import type { Note, Verifier, VerifyBytes } from '../note.ts';

export interface Trust {
  /** Raw, 32 bytes. */
  readonly publicKey: Uint8Array;
  /** The key's name where the key came with one; null takes the name that the note gives, which the key id then binds. */
  readonly name: string | null;
  /** The log's origin where it is known. */
  readonly origin: string | null;
  readonly verify: VerifyBytes;
  /** Whose cosignature the log must carry; absent where none is asked for. */
  readonly witness?: Verifier;
}

/** Whether the note carries a good signature of the trusted key. */
export function isTrusted(note: Note, { publicKey, name, verify }: Trust): boolean {
  const own = note.signatures.find(
    (line) => (name === null || line.name === name) && line.keyId.equals(keyIdOf(line.name, publicKey)),
  );
  return own !== undefined && isSignedBy(note, { name: own.name, publicKey }, verify);
}
