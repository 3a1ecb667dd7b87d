/** What verification says. */

/** One thing that is not as it was signed. */
export interface Tampering {
  readonly file: string;
  /** Index of the first entry that is touched; null where there is none. */
  readonly index: number | null;
  readonly what: string;
  /** Hashes in base64, '' where there is none to compare. */
  readonly expected: string;
  readonly actual: string;
}

/** Numbers of a source that no record carries: events that never arrived. */
export interface Gap {
  readonly source: string;
  readonly from: number;
  readonly to: number;
}

export interface VerifyReport {
  readonly verdict: 'good' | 'tampered' | 'incomplete';
  readonly mode: 'directory' | 'url' | 'proof' | 'segment';
  readonly origin: string;
  /** Entries that the checkpoint covers, and its root in base64. */
  readonly size: number;
  readonly root: string;
  /** Entries that were read and match. */
  readonly records: number;
  /** Entries after the checkpoint, which no signature covers yet. */
  readonly unsigned: number;
  readonly pruned: number;
  readonly gaps: readonly Gap[];
  readonly missing: readonly string[];
  readonly tampered: Tampering | null;
}

/** Ends a verification at the first thing that is not as it was signed. */
export class Tampered extends Error {
  readonly finding: Tampering;

  constructor(finding: Partial<Tampering> & Pick<Tampering, 'file' | 'what'>) {
    super(`${finding.file}: ${finding.what}`);
    this.finding = { index: null, expected: '', actual: '', ...finding };
  }
}

export const base64 = (hash: Uint8Array): string => Buffer.from(hash).toString('base64');
