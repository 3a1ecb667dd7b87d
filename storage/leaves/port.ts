/** Leaves of audit logs in a place that outlives the machine whose process seals them. One process at a time adds to a log: the one that claimed it last, of the node that serves. */

/** A signed tree head, as the place keeps it. */
export interface LeafHead {
  readonly size: number;
  /** In base64. */
  readonly root: string;
  readonly note: string;
}

/** What the place has of a log that was claimed. */
export interface Claimed {
  /** Leaves; all of them are on every copy. */
  readonly size: number;
  /** The newest tree that was signed; null where none was. */
  readonly head: LeafHead | null;
  /** The verifier key that the first claim named. */
  readonly key: string;
}

/** Another process has the log, or the node serves no more, or what was added is gone: nothing was changed, and nothing more will be. */
export class LeavesLost extends Error {}

/** The place gave no answer in time. */
export class LeavesAway extends Error {}

/** A file of a log beside its leaves, by its path in the log's directory. It never changes. */
export type SideFile = readonly [path: string, bytes: Uint8Array];

export interface LeafStore {
  /** Leaves of each log, by id. Rejects with LeavesAway. */
  sizes(): Promise<ReadonlyMap<string, number>>;
  /** Makes this process the writer of a log, which is made where it is none. Rejects with LeavesLost where the node does not serve, and with LeavesAway. */
  claim(logId: string, key: string): Promise<Claimed>;
  /** Adds leaves of which the first has this index; resolves when every copy has them, however long that takes. Rejects with LeavesLost. One call of a log at a time. */
  append(logId: string, first: number, entries: readonly Uint8Array[]): Promise<void>;
  /** Notes a signed head, over leaves that the place has; one that is not larger than the noted one changes nothing. As `append`. */
  publish(logId: string, head: LeafHead): Promise<void>;
  /** Leaves from `from` on, below `to`: one at least. Rejects with LeavesLost where there is none, and with LeavesAway. */
  read(logId: string, from: number, to: number): Promise<Buffer[]>;
  /** Keeps files; one that is there stays as it is. As `append`. */
  save(logId: string, files: readonly SideFile[]): Promise<void>;
  paths(logId: string): Promise<string[]>;
  file(logId: string, path: string): Promise<Buffer | null>;
  /** Ends what waits, with LeavesLost. */
  close(): Promise<void>;
}
