/** Numbers of submissions that go to tenants (docs/contract/triggers.md §7.5, docs/contract/intake.md §3.6). */
export const submissionLimits = {
  /** Submissions that wait at intake for one tenant; beyond them its forms are shed before they acknowledge. */
  waitingMax: 10_000,
  /** What one delivery carries: so many submissions, and no more after so many characters of fields. */
  deliverMax: 64,
  deliverCharsMax: 1_000_000,
  /** Tenants to which submissions are delivered at once, and the wait after one that could not be. */
  tenantsPassingMax: 8,
  retryMs: 5000,
  /** How long an erasure waits at most for deliveries that are under way. */
  quietMs: 10_000,
  /** Submissions that one tenant keeps; further ones wait at intake. */
  keptMax: 100_000,
  /** What one page of an administrator shows unless it asks for fewer, and the most; the most of an export. */
  pageRows: 50,
  pageRowsMax: 500,
  exportRowsMax: 1000,
  /** A page ends after so many characters of fields, and after so many milliseconds or submissions that it looked at. */
  pageCharsMax: 1_000_000,
  pageReadMsMax: 5,
  pageScanMax: 20_000,
  /** Submissions past their time that one commit deletes, and those that one slice of an erasure looks at. */
  expireRows: 128,
  eraseScanRows: 200,
} as const;
