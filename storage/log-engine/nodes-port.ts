/**
 * Nodes on one log, as the engine that keeps the log sees them: which process is alive, and which one serves. The rules of port.ts hold for every verb: a change resolves when it is on all copies that
 * are promised, and the same call again settles an unknown outcome. Why it is this and no more: docs/decisions/storage.md ST-36.
 */

/** One life of a node, from its start to its end: a process that starts again is another one. */
export interface Incarnation {
  /** A UUID drawn at its start. */
  readonly id: string;
  /** The node's name, for people. */
  readonly node: string;
  /** Two lives with one place cannot be alive together: a machine since it was switched on, and a data directory that one process at a time locks. */
  readonly place: string;
  /** How long its lease lasts at most, milliseconds on a clock of its own: others wait for as long before they condemn it. */
  readonly leaseMs: number;
  /** Where other nodes reach it, `host:port`; absent where it takes no requests of theirs. */
  readonly link?: string;
}

/** How far a life that waits has followed the log: what it says of itself, for people and for who hands over to it. Nothing is decided by it but whether it is asked. */
export interface Follows {
  /** Entries of all shards that it did not have when it looked last. The newest ones of each shard are among them: an entry is confirmed by the next record that is written. */
  readonly behind: number;
  /** Milliseconds since it last had all that was confirmed; null when it never had. */
  readonly ageMs: number | null;
}

/** What is seen of a life by others. */
export interface NodeSight extends Incarnation {
  /** Grows with each beat. */
  readonly beat: number;
  /** It has been condemned, or has left: it never serves again. */
  readonly isFenced: boolean;
  /** Null of a life that does not follow: it serves, or has not begun, or cannot. */
  readonly follows: Follows | null;
  /** The life to which it was told to hand over; null where it was not. */
  readonly heir: string | null;
  /** The life for which it runs hosts, or may; null where it runs none. No other life claims what this one may have open. */
  readonly carries: string | null;
}

export interface Sight {
  /** In no order; the caller is among them. Lives that ended long ago may be missing. */
  readonly nodes: readonly NodeSight[];
  /** Of the life that serves; null where none does. */
  readonly serving: string | null;
  /** How often lives have begun to run hosts for another one, on this log: `serve` compares it. */
  readonly carried: number;
}

export interface NodeEngine {
  /** Begins a life, with beat 0. */
  register(incarnation: Incarnation): Promise<void>;
  /**
   * Says that a life goes on, and how far it has followed; `beat` is one more than the last. `linked`, for people: whether requests at its doors reach the life that serves; null where its doors are closed, or
   * are those that serve. Gives what was seen in the same statement. Null when it is fenced or forgotten: this process must not answer for the log any more.
   */
  beat(id: string, beat: number, follows?: Follows | null, linked?: boolean | null): Promise<Sight | null>;
  /** Ends a life whose beat is still the one that was seen. True when it is fenced, by this call or another one: its beats have no answer from here on. False when it went on: look again. */
  condemn(id: string, beat: number): Promise<boolean>;
  /**
   * Makes a life the one that serves, in place of the one that was seen; which is fenced, or null. `carried`: as of the same look, 0 where it is left out; what that look shows of `carries` holds when this one serves.
   * False when another was faster, the caller is fenced, or another life began to carry meanwhile: look again.
   */
  serve(id: string, seen: string | null, carried?: number): Promise<boolean>;
  /**
   * Says for which life this one runs hosts from here on, or with null that it runs none. `no` is one more than that of the last call: one that arrives behind a later one changes nothing. False where the other life does not serve,
   * or this one is fenced: it has begun nothing then. A change of the row that names the life that serves is in the same statement, so that a `serve` of another life comes wholly before it, and this is false, or wholly behind it,
   * and has to have seen it. A share lock of that row alone would not do: `serve` would wait for it, and still see the rows of before.
   */
  carry(id: string, serving: string | null, no: number): Promise<boolean>;
  /** Tells a life to hand over to another one: it sees that in its next beat. False when one of the two is fenced, or unknown. */
  handOver(id: string, heir: string): Promise<boolean>;
  /** Ends a life by its own word: it is fenced, and serves no more. */
  leave(id: string): Promise<void>;
  close(): Promise<void>;
}
