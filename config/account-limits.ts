/** Numbers of accounts: sign-ups, invitations, changes of address. docs/contract/identity-users.md §8. */

const MINUTE_MS = 60_000;

export const accountLimits = {
  /** How long the links live that a person gets who signs up, changes the address or is invited. */
  signUpMs: 60 * MINUTE_MS,
  emailChangeMs: 60 * MINUTE_MS,
  invitationMs: 7 * 24 * 60 * MINUTE_MS,
  /** Sign-ups of one tenant that wait for their confirmation; the next one gets 503. */
  signUpsMax: 10_000,
  /** Open invitations of one tenant; the next one gets 409. */
  invitationsMax: 1000,
  /** Expired requests that a new one deletes: more than one, so that a full table empties while it is asked. */
  requestSweepMax: 2,
  invitationListMax: 100,
  /** How long after a login its user need not prove again to be there. */
  freshLoginMs: 5 * MINUTE_MS,
  /** How long the notice of a change may wait for the mail server. */
  noticeMs: 24 * 60 * MINUTE_MS,
  /** Sessions and logins of a deleted user that one commit deletes; a login has a token and its tombstones. */
  eraseSessionsMax: 100,
  eraseLoginsMax: 10,
  invitationRolesMax: 32,
  /** Guests of one tenant, and how long one is kept without a use, where the product says nothing else. */
  guestsMax: 10_000,
  guestsMaxMax: 1_000_000,
  guestKeepMs: 30 * 24 * 60 * MINUTE_MS,
  /** A use of a guest moves the end of its time on when it moves it by so much. */
  guestNoteMs: 24 * 60 * MINUTE_MS,
  /** How often guests are looked for whose time is over, and how many one slice deletes. */
  guestSweepEveryMs: MINUTE_MS,
  guestSweepRows: 20,
  /** Mails that wait in a tenant's outbox while a stranger's sign-up may still add one: links of known users find room behind them. */
  signUpMailsMax: 512,
} as const;
