/**
 * A log gets a new signing key. The old key signs a record of the change and the tree with that record, and both keys sign that the new one
 * follows.
 */
import type { LogBook } from './log-book.ts';
import { verifyByNode, type LogKey } from './key-port.ts';
import { addSuccession, KEYS_FILE, readSuccessions, successionText, verifierKey } from './store.ts';
import type { LogFiles, Succession } from './store.ts';

export interface KeyRotation {
  readonly log: string;
  /** Records that the old key has signed. */
  readonly size: number;
  readonly old: string;
  readonly new: string;
}

/**
 * Writes the succession from the key of the book's log to `next`; the caller replaces the old key file afterwards. A succession that was written
 * but whose key file was not replaced is given again: in between the log refuses to be written. Rejects with LogRefused where the log must not be
 * written for another reason.
 */
export async function rotateKey(book: LogBook, files: LogFiles, logId: string, next: LogKey): Promise<KeyRotation> {
  const { origin, key: old } = await book.identityOf(logId);
  const present = await files.read(KEYS_FILE);
  const last = present === null ? undefined : readSuccessions(present, origin, verifyByNode)?.at(-1);
  if (last !== undefined && verifierKey(last.next) === verifierKey(next.verifier)) return rotationOf(logId, last);
  const log = await book.open(logId);
  const keys = { old: verifierKey(old.verifier), new: verifierKey(next.verifier) };
  await log.append([book.ownEvent(log, 'audit.key.rotated', keys)], 'strict');
  await book.close(); // everything is signed, by the old key for the last time
  const head = log.head!;
  const tree = { size: head.size, root: Buffer.from(head.root, 'base64') };
  const text = successionText(origin, tree, old.verifier, next.verifier);
  const lines = [old.signer.sign(text), next.signer.sign(text)];
  await files.save([[KEYS_FILE, addSuccession(present, text, lines)]]);
  return { log: logId, size: head.size, ...keys };
}

function rotationOf(log: string, { size, old, next }: Succession): KeyRotation {
  return { log, size, old: verifierKey(old), new: verifierKey(next) };
}
