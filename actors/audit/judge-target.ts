/** Compares a log with its copies: a copy on another disk holds what the log signed earlier. */
import { verifyByNode } from './key-port.ts';
import {
  HashReader,
  KEYS_FILE,
  LogRefused,
  isSignedInSpan,
  readCheckpoint,
  readSuccessions,
  spansOf,
} from './store.ts';
import { verifyConsistency } from './store.ts';
import type { Checkpoint, LogFiles, SignedHead, Verifier } from './store.ts';

/** The copy holds another history than the log, a longer one, or one that another key signed. */
export type Disagreement = 'fork' | 'rollback' | 'unsigned';

/** The facts of a log that are compared. */
export interface Judged {
  readonly origin: string;
  readonly verifier: Verifier;
  /** The last signed checkpoint; none for a new log. */
  readonly head: SignedHead | undefined;
  readonly files: Pick<LogFiles, 'read'>;
}

/** The size of the copy, where the log continues it; otherwise the contradiction. */
export async function judgeTarget(
  { origin, verifier, head, files }: Judged,
  target: Pick<LogFiles, 'read'>,
): Promise<number | Disagreement> {
  const bytes = await target.read('checkpoint');
  if (bytes === null) return 0;
  const there = readCheckpoint(bytes);
  if (there?.origin !== origin || !(await isOurs(files, there, verifier))) return 'unsigned';
  const size = head?.size ?? 0;
  if (there.size > size) return 'rollback';
  if (there.size === size) return Buffer.from(there.root).toString('base64') === head?.root ? size : 'fork';
  const proof = await new HashReader((path) => files.read(path), size).consistency(there.size);
  const continues = verifyConsistency(there.size, size, there.root, Buffer.from(head!.root, 'base64'), proof);
  return continues ? there.size : 'fork';
}

/** Whether the log signed it, with its present key or with one that was valid at that size. */
export async function isOurs(
  files: Pick<LogFiles, 'read'>,
  { origin, size, note }: Checkpoint,
  verifier: Verifier,
): Promise<boolean> {
  const bytes = await files.read(KEYS_FILE);
  const chain = bytes === null ? [] : readSuccessions(bytes, origin, verifyByNode);
  return chain !== null && isSignedInSpan(note, size, spansOf(chain, verifier.publicKey), verifier.name, verifyByNode);
}

/** Why the log is refused when it does not continue the checkpoint that a witness has cosigned. */
export function refusalByWitness(found: 'fork' | 'rollback', url: string): LogRefused {
  const what = found === 'fork' ? 'another history of this log' : 'more records than were ever signed here';
  return new LogRefused(found, `the witness at ${url} has cosigned ${what}`);
}

const SAYS: Readonly<Record<Disagreement, string>> = {
  fork: 'holds another history of this log',
  rollback: 'holds more records than were ever signed here',
  unsigned: 'has a checkpoint that this log did not sign',
};

/** Why the log is refused. A copy under another key counts as a fork: the log was begun anew under another key. */
export function refusalOf(found: Disagreement, directory: string): LogRefused {
  return new LogRefused(found === 'unsigned' ? 'fork' : found, `the copy in ${directory} ${SAYS[found]}`);
}
