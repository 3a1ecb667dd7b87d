/** `skep cluster rotate-key`: the next key by which the log is sealed. */
import { isLogSealed } from '#config/journal-problems.ts';
import type { Platform } from '#config/platform.ts';
import { asked, nameOf, sessionOf } from './log-of.ts';
import { beginLogKey } from './log-seal.ts';

export interface RotatedKey {
  readonly database: string;
  /** Of the key that seals from the next opening on. */
  readonly key: number;
}

/** Throws for operators where the log is not sealed, and where the vault or the database does not answer. */
export async function rotateLogKey(platform: Platform): Promise<RotatedKey> {
  const options = sessionOf(platform);
  if (!isLogSealed(platform))
    throw new Error('the log is not sealed\n    set storage.journal.seal: vault, and start the node');
  return { database: nameOf(options), key: await asked(options, () => beginLogKey(platform)) };
}
