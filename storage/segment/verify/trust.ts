/** The one thing a verifier brings along: the log's public key. */
import { readSuccessions, isSignedInSpan, KEYS_FILE, spansOf, type KeySpan, type Succession } from '../succession.ts';
import type { Note, Verifier, VerifyBytes } from '../note.ts';
import { Tampered } from './report.ts';

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

/** The keys that count for one log: the trusted key, and those that signed before and after it, each for its own range of sizes. */
export interface Signers {
  readonly trust: Trust;
  readonly spans: readonly KeySpan[];
  /** Roots that were named when keys changed. */
  readonly chain: readonly Succession[];
}

/** The signers of a proof or a checkpoint by itself: the key alone, because the file names no other key. */
export function aloneWith(trust: Trust): Signers {
  return { trust, spans: spansOf([], trust.publicKey), chain: [] };
}

/** The signers of a log whose files are at hand. Throws Tampered where its file of keys is no chain that the keys themselves have signed. */
export async function signersOf(
  reader: { read(path: string): Promise<Uint8Array | null> },
  trust: Trust,
  origin: string,
): Promise<Signers> {
  const bytes = await reader.read(KEYS_FILE);
  if (bytes === null) return aloneWith(trust);
  const chain = readSuccessions(bytes, origin, trust.verify);
  if (chain === null)
    throw new Tampered({ file: KEYS_FILE, what: 'is no chain of keys, each link signed by the old and the new one' });
  return { trust, spans: spansOf(chain, trust.publicKey), chain };
}

/** Whether the note, of a tree of this size, carries a good signature of a key that counted then. */
export function isTrusted(note: Note, size: number, { trust, spans }: Signers): boolean {
  return isSignedInSpan(note, size, spans, trust.name, trust.verify);
}
