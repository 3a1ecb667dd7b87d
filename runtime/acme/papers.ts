/** Where certificates that a node gains are kept, with what belongs to them: in its own data directory (own-papers.ts), or for all nodes of a log (shared-papers.ts). The door reads files in both cases. */
import type { KeyObject } from 'node:crypto';
import type { Memory } from './memory.ts';
import type { Attempts } from './next-action.ts';

/** One alone orders at a time: the node that serves. */
export interface Papers {
  /** Has what other nodes have gained in the files of this one, and gives what is remembered of each name. Rejects where that cannot be known. */
  fetch(): Promise<Memory>;
  /** Likewise, before the first order: what this machine has from a time without other nodes is not lost. Nothing may be ordered where it rejects. */
  recall(): Promise<Memory>;
  /** Durable when it resolves. Rejects where another node has changed something since the last call of this one. */
  remember(name: string, attempts: Attempts): Promise<void>;
  /** The key of the account at the authority with this directory, made where there is none. */
  account(directory: string): Promise<KeyObject>;
  /** Puts a new pair, the text of one PEM file, in the place of the one before. */
  put(name: string, pair: string): Promise<void>;
  /** Has the doors of other nodes answer a token until the returned function is called, which never rejects. */
  offer(name: string, token: string, answer: string): Promise<() => Promise<void>>;
  close(): Promise<void>;
}
