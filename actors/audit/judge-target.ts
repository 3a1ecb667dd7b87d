/** What a copy of a log says of the log itself: it holds what was signed once, on another disk. */
import { verifyByNode } from './key-port.ts';
import { HashReader, LogRefused, isSignedBy, readCheckpoint, verifyConsistency } from './store.ts';
import type { LogFiles, SignedHead, Verifier } from './store.ts';

/** The copy holds another history than the log, a longer one, or one that another key has signed. */
export type Disagreement = 'fork' | 'rollback' | 'unsigned';

/** A log as far as it is judged. */
export interface Judged {
  readonly origin: string;
  readonly verifier: Verifier;
  /** What was signed last; none of a log that is new. */
  readonly head: SignedHead | undefined;
  readonly files: Pick<LogFiles, 'read'>;
}

/** The size that a target has, where the log continues it; what is wrong, where it does not. */
export async function judgeTarget(
  { origin, verifier, head, files }: Judged,
  target: Pick<LogFiles, 'read'>,
): Promise<number | Disagreement> {
  const bytes = await target.read('checkpoint');
  if (bytes === null) return 0;
  const there = readCheckpoint(bytes);
  if (there?.origin !== origin || !isSignedBy(there.note, verifier, verifyByNode)) return 'unsigned';
  const size = head?.size ?? 0;
  if (there.size > size) return 'rollback';
  if (there.size === size) return Buffer.from(there.root).toString('base64') === head?.root ? size : 'fork';
  const proof = await new HashReader((path) => files.read(path), size).consistency(there.size);
  const continues = verifyConsistency(there.size, size, there.root, Buffer.from(head!.root, 'base64'), proof);
  return continues ? there.size : 'fork';
}

/** Why the log is refused where a witness has cosigned what it does not continue. */
export function refusalByWitness(found: 'fork' | 'rollback', url: string): LogRefused {
  const what = found === 'fork' ? 'another history of this log' : 'more records than were ever signed here';
  return new LogRefused(found, `the witness at ${url} has cosigned ${what}`);
}

const SAYS: Readonly<Record<Disagreement, string>> = {
  fork: 'holds another history of this log',
  rollback: 'holds more records than were ever signed here',
  unsigned: 'has a checkpoint that this log did not sign',
};

/** Why the log is refused then. A copy under another key is a fork: somebody began this log anew. */
export function refusalOf(found: Disagreement, directory: string): LogRefused {
  return new LogRefused(found === 'unsigned' ? 'fork' : found, `the copy in ${directory} ${SAYS[found]}`);
}
