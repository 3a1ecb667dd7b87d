/** What services are asked about one person, by way of main: what they hold, and to erase it. */

export interface NamedPerson {
  /** The user's id. */
  readonly user: string;
  readonly email: string;
}

/** Where a page of rows goes on. */
export interface RowPlace {
  /** Whose rows come next: those of data, then assets whose metadata content keeps in files. */
  readonly service: 'data' | 'content';
  /** The entity, or the store. */
  readonly entity: string;
  /** Rows of it that were given before. */
  readonly skip: number;
  /** In a store: the last asset that was given. */
  readonly id?: string;
}

export interface PersonRows {
  readonly rows: readonly {
    readonly kind: 'row' | 'document' | 'asset';
    readonly entity: string;
    /** The row as JSON. */
    readonly row: string;
    /** Of an asset: the path at which the node gives its bytes. */
    readonly bytes?: string;
  }[];
  /** Null at the end. */
  readonly next: RowPlace | null;
}

/** Where a store gives the bytes of an asset. */
export const assetBytesPath = (store: string, id: string): string => `/store/${store}/asset/${id}/download`;

/** What an erasure did, by entity; rows that a reference holds are blocked and stay. */
export type ErasedRows = Readonly<
  Record<string, Readonly<Record<'deleted' | 'anonymized' | 'kept' | 'blocked', number>>>
>;

export interface ErasedStep {
  readonly rows: ErasedRows;
  /** Whether there may be more: ask again. */
  readonly more: boolean;
}

/** The node's answer to what became of the rows, from those of its services: an entity of assets may have some in each. */
export function bothRows(one: ErasedRows, other: ErasedRows): ErasedRows {
  const all: Record<string, ErasedRows[string]> = { ...one };
  for (const [entity, { deleted, anonymized, kept, blocked }] of Object.entries(other)) {
    const was = all[entity];
    all[entity] = {
      deleted: (was?.deleted ?? 0) + deleted,
      anonymized: (was?.anonymized ?? 0) + anonymized,
      kept: (was?.kept ?? 0) + kept,
      blocked: (was?.blocked ?? 0) + blocked,
    };
  }
  return all;
}

/** Audit records that name a person as actor, subject or target, as JSON; `next`: where the search goes on, null at the end. */
export interface PersonRecords {
  readonly records: readonly string[];
  readonly next: number | null;
}

/** What an erasure of one person's submissions did. */
export interface ErasedSubmissions {
  /** Submissions erased by this run, by each form that declares a person. */
  readonly forms: Readonly<Record<string, number>>;
  /** Paths that may hold more of the person and are not in use. */
  readonly left: readonly string[];
  /** Copies erased of those that tenants keep, by tenant; absent where no form has one. */
  readonly tenants?: Readonly<Record<string, number>>;
  /** Tenants that had copies and are not of this node; absent where there are none. */
  readonly elsewhere?: readonly string[];
}
