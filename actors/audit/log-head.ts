/** What a log has signed as one finds it outside of its own memory: in its directory, and before its first record. */
import { isOurs } from './judge-target.ts';
import type { LogKey } from './key-port.ts';
import { EMPTY_ROOT, checkpointText, readCheckpoint, writeNote } from './store.ts';
import type { LogFiles, SignedHead, Verifier } from './store.ts';

/** The id of a log, and its signing key. */
export interface LogIdentity {
  readonly id: string;
  readonly tenant: string;
  readonly origin: string;
  readonly key: LogKey;
}

/** The checkpoint in a log's directory, where the log signed it. */
export async function publishedHead(
  files: LogFiles,
  origin: string,
  verifier: Verifier,
): Promise<SignedHead | undefined> {
  const bytes = await files.read('checkpoint');
  const checkpoint = bytes === null ? null : readCheckpoint(bytes);
  if (checkpoint?.origin !== origin || !(await isOurs(files, checkpoint, verifier))) return undefined;
  const { size, root } = checkpoint;
  return { size, root: Buffer.from(root).toString('base64'), note: bytes!.toString(), memo: {} };
}

/** The signed head of a log without records: a witness is asked about it before the first record. */
export function emptyHead({ origin, key }: LogIdentity): SignedHead {
  const text = checkpointText(origin, { size: 0, root: EMPTY_ROOT });
  return { size: 0, root: EMPTY_ROOT.toString('base64'), note: writeNote(text, [key.signer.sign(text)]), memo: {} };
}
