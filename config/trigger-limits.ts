/** Numbers of triggers (docs/contract/triggers.md §5). */
export const triggerLimits = {
  /** Triggers of one product, and fields of a row that one of them sends. */
  declaredMax: 100,
  fieldsMax: 50,
  /** Waiting events of one trigger; a further one is dropped, counted and logged: an unreachable receiver must not block writers. */
  waitingMax: 5000,
  /** Events that a tenant hands out for one ask. */
  takeMax: 256,
  /** Ended events that are kept per tenant; the oldest are removed first. */
  logEntriesMax: 1000,
  /** New events that the stored counts may lack: after a crash as many are counted anew. */
  uncountedMax: 64,
  /** Events that one list of an administrator shows unless it asks for fewer, and the most. */
  pageRows: 50,
  pageRowsMax: 500,
  /** How far a row that a trigger's script writes may fire further triggers. */
  depthMax: 5,
  /** A mail that has not left after so long is not sent any more. */
  mailMs: 24 * 3_600_000,
  /** Characters of a row's value that a mail shows. */
  mailValueCharsMax: 1000,
  /** A script that failed runs again after a wait that doubles, up to its last attempt. */
  scriptAttemptsMax: 5,
  scriptBackoffMs: 1000,
  scriptBackoffMsMax: 5 * 60_000,
  /** Time that scripts of triggers may take of one tenant: so much at once, and so much more in each second. */
  scriptMsAtOnce: 10_000,
  scriptMsPerSecond: 250,
  /** How long the alarm of cron triggers waits at most before it looks at the clock again: a clock may be set, a machine may have slept. */
  alarmLookMs: 30_000,
  /** A clock that is set back by so much was wrong before: times are due by the new one. By less they would come twice. (As vixie cron has it.) */
  setBackMs: 3 * 60 * 60 * 1000,
  /** Tenants that the alarm wakes together, and the pause before the next ones: many schedules name the same minute. */
  alarmTenantsMax: 16,
  alarmRestMs: 50,
  /** When the alarm asks again for a tenant that did not say when its next trigger is due, since it could not be woken. */
  alarmAgainMs: 60_000,
  /** The wait after a commit that left events for scripts, so that a burst comes together; after a pass that failed; while the tenant is read-only. */
  restMs: 20,
  lookAgainMs: 1000,
  readOnlyMs: 30_000,
  /** How long a runner that waits keeps the tenant from being put to sleep or moved. */
  waitTickMs: 500,
  /** Characters of an error that is kept. */
  errorCharsMax: 500,
} as const;
