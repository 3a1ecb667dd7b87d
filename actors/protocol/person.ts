/** What services are asked about one person, by way of main: what they hold, and to erase it. */

export interface NamedPerson {
  /** The user's id. */
  readonly user: string;
  readonly email: string;
}

/** Where a page of rows goes on. */
export interface RowPlace {
  readonly entity: string;
  /** Rows of the entity that were given before. */
  readonly skip: number;
}

export interface PersonRows {
  readonly rows: readonly {
    readonly entity: string;
    /** The row as JSON. */
    readonly row: string;
  }[];
  /** Null at the end. */
  readonly next: RowPlace | null;
}

/** What an erasure did, by entity; rows that a reference holds are blocked and stay. */
export type ErasedRows = Readonly<
  Record<string, Readonly<Record<'deleted' | 'anonymized' | 'kept' | 'blocked', number>>>
>;

export interface ErasedStep {
  readonly rows: ErasedRows;
  /** Whether there may be more: ask again. */
  readonly more: boolean;
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
}
