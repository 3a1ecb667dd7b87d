/** Numbers of the change feed (docs/contract/changes.md §6). */
export const changeLimits = {
  /** How long, and how many, changes of a tenant are kept, unless its product says so; the most that it may say. */
  keepMs: 24 * 3_600_000,
  keepMsMax: 30 * 24 * 3_600_000,
  count: 10_000,
  countMax: 1_000_000,
  /** Bytes of a tenant's changes; the oldest go first. */
  bytesMax: 256 * 1024 * 1024,
  /** Changes that one slice of a sweep removes, and how often a tenant that is awake looks for old ones. */
  sweepRows: 100,
  sweepEveryMs: 60_000,
  /** Changes beyond the count that are kept until they are removed together, at most a tenth of it: a sweep for each write would cost as much as the write. */
  sweepSlack: 500,
  /** So much below their bound in bytes a sweep goes. */
  sweepSlackBytes: 1024 * 1024,
  /** Consumer groups that a product declares; no tenant keeps more places. */
  groupsMax: 100,
  /** Subscribers that are connected: streams, and polls that wait. Of one node, of a tenant, of one caller at a tenant. */
  perNodeMax: 12_288,
  perTenantMax: 1000,
  perCallerMax: 20,
  /** The longest `wait` of a poll, and changes that one answer holds unless it asks for fewer, and the most. */
  waitSecondsMax: 30,
  pageRows: 100,
  pageRowsMax: 1000,
  /** A stream on which nothing is told gets a line after so long; its credential is judged again then. */
  heartbeatMs: 15_000,
  /** What a stream tells its caller to wait before it comes back. */
  retryMs: 2000,
  /** How often waiting subscribers are looked at for their time. */
  tickMs: 500,
  /** How long changes are gathered for subscribers that have just been looked at. The first one after a pause is told at once. */
  gatherMs: 20,
  /** Under steady writes a round is spread over that time in so many parts, of so many subscribers at least. */
  spreadParts: 5,
  spreadLeast: 20,
  /** Changes that are looked at for one subscriber before the next one has its turn. */
  roundRows: 200,
  /** How long subscribers are served at a stretch. */
  sliceMsMax: 4,
  /** A position that is told without a change lies so far back: the clock's floor is written more often (clock-limits.ts). */
  idleLagMs: 180_000,
  /** Rows that `snapshot=true` begins with. */
  snapshotRowsMax: 10_000,
  /** How long a ticket lives, and the longest query that one may stand for; there may be as many as subscribers. */
  ticketSeconds: 30,
  ticketQueryCharsMax: 2048,
  /** WebSockets: a caller's message, and the id of a subscription. */
  liveMessageBytesMax: 16 * 1024,
  liveIdCharsMax: 64,
  /** Over GraphQL's: a caller's message; an answer, which is one message and is gathered before it leaves. */
  graphqlMessageBytesMax: 64 * 1024,
  graphqlAnswerBytesMax: 4 * 1024 * 1024,
  /** Subscriptions of one connection. */
  liveSubscriptionsMax: 20,
  /** Messages of a connection at once, and a second over time; the next one ends it. */
  liveBurst: 60,
  livePerSecond: 10,
  /** How long a connection may be without a subscription: at first, and once it has had one. How often that is looked at. */
  liveOpenMs: 10_000,
  liveIdleMs: 60_000,
  liveLookMs: 1000,
  /** A connection that answers no ping for so long is gone; the addon sends them. */
  livePingSeconds: 32,
  /** Bytes that a caller has not taken: past them its subscriptions get no further window; and past those it is cut. */
  liveAheadBytesMax: 256 * 1024,
  liveUnsentBytesMax: 16 * 1024 * 1024,
} as const;
