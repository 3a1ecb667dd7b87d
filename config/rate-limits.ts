/** Rates of routes whose callers are strangers or cost much, and the table of their buckets. */
export interface RateProfile {
  readonly burst: number;
  readonly perSecond: number;
}

export const rateProfiles = {
  auth_apikey: { burst: 15, perSecond: 1 / 4 },
  auth_token: { burst: 60, perSecond: 1 },
  auth_login: { burst: 10, perSecond: 1 / 6 },
  auth_mfa: { burst: 5, perSecond: 1 / 12 },
  auth_reset: { burst: 3, perSecond: 1 / 60 },
  auth_magic_link: { burst: 3, perSecond: 1 / 60 },
  auth_code: { burst: 3, perSecond: 1 / 60 },
  /** Services look tokens of many callers up from one address. */
  auth_introspect: { burst: 600, perSecond: 100 },
  /** Browser tabs and services behind one address refresh side by side. */
  auth_refresh: { burst: 300, perSecond: 5 },
  /** Administration of people and keys: a page of an office and its scripts. */
  auth_admin: { burst: 300, perSecond: 10 },
  /** A page is made of dozens of files, and an office of people has one address. */
  site_files: { burst: 2000, perSecond: 100 },
  /** An export reads all that the node holds of a person, the audit log included. */
  auth_export: { burst: 5, perSecond: 1 / 60 },
  auth_sign_up: { burst: 3, perSecond: 1 / 60 },
  auth_guest: { burst: 5, perSecond: 1 / 30 },
  auth_captcha: { burst: 60, perSecond: 1 },
  auth_invitation: { burst: 20, perSecond: 1 / 15 },
  /** What a user reads and changes of the own account, without a password. */
  auth_me: { burst: 60, perSecond: 1 },
} satisfies Record<string, RateProfile>;

export const rateTableLimits = {
  /** Two cache lines of 64-bit cells. */
  ways: 16,
  /** Cells kept for each entry allowed: of 100,000 callers 0.001 meet a full set before the table is full (8 ways: 2.4). */
  cellsPerEntry: 4,
  /** The interval of a whole pass over the table, and how many cells one slice of it visits. */
  sweepMs: 60_000,
  sweepCells: 65_536,
  /** Attempts to enter a set that another thread is changing; after that the caller shares the overflow bucket. */
  claimSpins: 1000,
} as const;
