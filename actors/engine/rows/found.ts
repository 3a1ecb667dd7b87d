/** What a read has found. */
import type { Grant } from './access.ts';
import type { Plan } from './access-path.ts';
import type { StoredRow } from './codec.ts';
import type { Group } from './group/collect.ts';
import type { Related } from './include/load.ts';
import type { Query } from './query.ts';

export interface Found {
  readonly kind: 'found';
  readonly rows: readonly StoredRow[];
  /** The rows of the query's includes. */
  readonly related: readonly Related[];
  /** Groups in place of rows, where the query asks for them. */
  readonly groups: readonly Group[] | null;
  /** The number of all matches: from the stored counters when nothing filters, else only when the query counts; otherwise null. */
  readonly total: number | null;
  /** Whether further rows follow in the direction of paging, where the query asks. */
  readonly more: boolean;
  readonly query: Query;
  readonly plan: Plan;
  /** How many rows were looked at; 0 of groups, which are not told. */
  readonly looked: number;
  /** Which rows may show their masked fields. */
  readonly unmasked: Grant;
}
