/** What a subscription asks for, and what its subscriber is told (docs/contract/changes.md §4, §5). Types alone. */

/** What a subscriber is told, in order. */
export type Change<R> =
  /** A row of the snapshot. */
  | { readonly type: 'row'; readonly row: R }
  /** The snapshot is whole; what follows are changes behind this position. */
  | { readonly type: 'snapshot'; readonly after: number }
  /** `row` is the row as the caller may see it now; null where it is gone, or will be told of by a later change. */
  | {
      readonly type: 'change';
      readonly seq: number;
      readonly op: 'create' | 'update' | 'restore' | 'gone';
      readonly entity: string;
      readonly id: string;
      readonly version: number;
      readonly tx: number;
      readonly row: R | null;
    }
  /**
   * Changes were missed: forget the rows. After a subscription with `snapshot` they come again; without it read them anew, changes behind `after`
   * follow.
   */
  | { readonly type: 'reset'; readonly after: number | null };

export interface Subscription {
  readonly path: string;
  /** Entity, conditions and fields. */
  readonly query: URLSearchParams;
  readonly after: number | null;
  readonly snapshot: boolean;
  readonly signal: AbortSignal | undefined;
  readonly onLive?: ((isLive: boolean) => void) | undefined;
}
