/** What `skep intake verify` finds. */

export interface VerifyReport {
  /** Lines of the log; each matches its hash and the line before it. */
  readonly lines: number;
  /** Rows of the database; null for `backend: jsonl`. */
  readonly rows: number | null;
  /** Lines that the database has not taken in yet. */
  readonly ahead: number;
  /** Rows older than the log, whose older files were deleted. */
  readonly older: number;
  /** Lines whose row was deleted at the end of its form's retention, in a file with other lines that are kept. */
  readonly expired: number;
  /** Lines whose submission was erased; an erasure in the log names each by its hash. */
  readonly erased: number;
  /** Whether the last write of the log was cut short; it was never acknowledged. */
  readonly torn: boolean;
  /** One line for each of the first rows that differ. */
  readonly faults: readonly string[];
  readonly faultCount: number;
}

/** Lines of faults in a report; further ones are counted. */
export const FAULTS_SHOWN = 20;
