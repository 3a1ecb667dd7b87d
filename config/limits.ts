/** Every number: those of the contract's Limits tables, and our own. Units end the names. Relations between them are asserted at the end. */
import { intakeLimits } from './intake-limits.ts';
import { auditLimits } from './audit-limits.ts';
import { backupLimits } from './backup-limits.ts';
import { accountLimits } from './account-limits.ts';
import { agentLimits } from './agent-limits.ts';
import { bffLimits } from './bff-limits.ts';
import { captchaLimits } from './captcha-limits.ts';
import { changeLimits } from './change-limits.ts';
import { channelLimits } from './channel-limits.ts';
import { clockLimits } from './clock-limits.ts';
import { clusterLimits } from './cluster-limits.ts';
import { consoleLimits } from './console-limits.ts';
import { contentLimits } from './content-limits.ts';
import { dataLimits, idempotencyLimits } from './data-limits.ts';
import { acmeLimits } from './acme-limits.ts';
import { developLimits } from './develop-limits.ts';
import { doorLimits } from './door-limits.ts';
import { importLimits } from './import-limits.ts';
import { languageLimits } from './language-limits.ts';
import { oauthLimits } from './oauth-limits.ts';
import { passkeyLimits } from './passkey-limits.ts';
import { signedUrlLimits } from './signed-url-limits.ts';
import { nodeViewLimits } from './node-view-limits.ts';
import { mailLimits } from './mail-limits.ts';
import { privacyLimits } from './privacy-limits.ts';
import { productLimits } from './product-limits.ts';
import { rateProfiles, rateTableLimits } from './rate-limits.ts';
import { scrubLimits } from './scrub-limits.ts';
import { searchLimits } from './search-limits.ts';
import { storageLimits } from './storage-limits.ts';
import { traceLimits } from './trace-limits.ts';
import { submissionLimits } from './submission-limits.ts';
import { triggerLimits } from './trigger-limits.ts';
import { usageLimits } from './usage-limits.ts';
import { upkeepLimits } from './upkeep-limits.ts';
import { peopleLimits } from './people-limits.ts';
import { pkiLimits } from './pki-limits.ts';
import { vaultLimits } from './vault-limits.ts';
import { webLimits } from './web-limits.ts';
import { watchdogLimits } from './watchdog-limits.ts';

export const limits = {
  backup: backupLimits,
  captcha: captchaLimits,
  changes: changeLimits,
  channels: channelLimits,
  clock: clockLimits,
  cluster: clusterLimits,
  console: consoleLimits,
  door: doorLimits,
  nodeView: nodeViewLimits,
  acme: acmeLimits,
  host: {
    /** Requests waiting for one tenant's turn; the next one gets 503 with Retry-After. */
    mailboxDepthMax: 4096,
    /**
     * After so many turns, or so long, the journal, the door and the disk get their turn: they work while the next turns are taken, and requests
     * that arrived meanwhile are among these.
     */
    stretchTurns: 16,
    /** Fuel of one turn, or one slice of longer work, for work whose length the caller decides: some 10 ms. */
    turnUnits: 200_000,
    /** Slices that one work takes before the tenant's next work has its turn; other tenants have theirs between any two. */
    slicesInARow: 4,
    stretchMsMax: 0.1,
    /** How long answers of mail servers and webhooks are gathered, and how many are settled in one commit. */
    settleMs: 10,
    settledTogetherMax: 64,
    /** Bodies of replies from this size on are sent to the door in pieces: UTF-16 units of a text, or bytes. */
    pieceReplyMin: 256 * 1024,
    /** Bytes of such replies that wait in a host for their callers; past them the reply whose caller has read nothing for longest is cut. */
    heldReplyBytesMax: 128 * 1024 * 1024,
    /** From this share of a full overlay on, the answers of writes are delayed, the more the fuller it is. */
    brakeFrom: 0.5,
    brakeMsMax: 500,
    idleSleepMs: 10 * 60_000,
    /** How often a host checks for idle tenants. */
    idleSweepMs: 60_000,
    /** How long new calls wait for a tenant's work in progress before it is put to sleep; after that the tenant serves on. */
    forgetWaitMs: 1000,
    /** Products that a warm spare reads in advance. */
    warmProductsMax: 32,
    /** Revisions of products that a host keeps loaded for tenants that wake. */
    loadedProductsMax: 256,
    /** The first spare is started so long after the doors are open: requests that waited for the start come first. */
    spareAfterMs: 5000,
    /** A spare that ended is started again at once, the next one after this time, then after doubled times. */
    spareWaitMs: 1000,
    spareWaitMsMax: 60_000,
    /** Tenants that one turn checks for work that a crash left. */
    resumeSlice: 64,
    retryAfterSeconds: 1,
    /** Depth of calls between services of a tenant. */
    insideDepthMax: 4,
    /** From this length on, a body between services is read in a slice of its own: UTF-16 units or bytes. */
    insideSliceMin: 256 * 1024,
  },
  signedUrl: signedUrlLimits,
  idempotency: idempotencyLimits,
  storage: storageLimits,
  usage: usageLimits,
  identity: {
    keyLifetimeDays: 365,
    secretBytes: 32,
    serviceTokenSeconds: 900,
    jwksKeysMax: 100,
    tokenCacheEntriesMax: 50_000,
    jwksMaxAgeSeconds: 300,
    /** JSON of a key's capabilities: the token that carries its scope must fit in a header. */
    capabilitiesBytesMax: 8192,
    serviceTagCharsMax: 256,
    /** When a node without a signing key tries again to make one. */
    ringRetryMs: 5000,
    lastUseEveryMs: 60_000,
    lastUseEntriesMax: 10_000,
    emailCharsMax: 254,
    nameCharsMax: 256,
    passwordCharsMin: 8,
    passwordCharsMax: 1024,
    /** argon2id parameters. Each hash stores them, so that a change affects new passwords only. */
    argon2: { memoryKib: 19_456, iterations: 2, lanes: 1 },
    /** Requests of one thread that wait for the whole node (register, provision, impersonate); the next one gets 503. */
    nodeAsksMax: 64,
    productSourceCharsMax: 4096,
    /** Four segments of 63 characters and three colons. */
    tenantKeyCharsMax: 255,
    reasonCharsMax: 1024,
    /** The life of an impersonation's token and session; after that the operator requests another, with a reason. */
    impersonationSeconds: 900,
    /** Keys that one message of `key list` holds. */
    keyPageRows: 500,
    /** The longest life of any token: a retired signing key verifies for so long, and a little longer for threads that learn of it late. */
    tokenSecondsMax: 24 * 60 * 60,
    ringMarginSeconds: 60,
    /** Concurrent argon2 runs of the whole process: they share libuv's four threads with every fsync. */
    passwordsRunningMax: 2,
    /** Passwords that wait on one thread for their run; the next one gets 503 with Retry-After. */
    passwordsWaitingMax: 128,
    /** Longer refresh tokens, link tokens and second factors are refused unread (characters). */
    userSecretCharsMax: 256,
    otpCharsMax: 64,
    /** A token that is shown in a body: what fits in a header. */
    shownTokenCharsMax: 12 * 1024,
    userTokenSeconds: 900,
    /** JSON of a product's `token.claims`: the token must fit in a header. */
    claimsBytesMax: 4096,
    /** Lifetimes of a refresh token, and of all that descend from one login. */
    refreshTokenMs: 30 * 24 * 60 * 60_000,
    refreshFamilyMs: 90 * 24 * 60 * 60_000,
    /** Name and value of a cookie: browsers drop a larger one without a word (RFC 6265bis §5.6). */
    cookieBytesMax: 4096,
    /** How long a just used refresh token still gives the same successor (two tabs of a browser), and the largest setting. */
    refreshGraceMs: 10_000,
    refreshGraceMsMax: 60_000,
    /** Used refresh tokens that a family stores; the reuse of an older one is only invalid. */
    refreshTombstonesMax: 100,
    /** Logins of one user that can refresh; past them the oldest ends. */
    refreshFamiliesMax: 50,
    /** Ended families that one login deletes. */
    refreshSweepMax: 10,
    /** Bodies of `/auth/…`: the largest holds a key's capabilities. */
    authBodyBytesMax: 16 * 1024,
    /** Wrong passwords for one login from any address: a burst, then one per interval. */
    wrongPasswordsBurst: 20,
    wrongPasswordEveryMs: 30_000,
    /** Past them: how often a caller that has not logged in there before may try. */
    strangerTryMs: 5 * 60_000,
    /** Mails of one kind to one address: a burst, then one per interval. */
    mailsBurst: 3,
    mailEveryMs: 10 * 60_000,
    /** Logins, callers and addresses that one tenant tracks for the above. */
    guardEntriesMax: 10_000,
    resetTokenMs: 60 * 60_000,
    magicLinkMs: 15 * 60_000,
    /** Open links of one kind for one user: each mail that is sent again after a crash has another link. */
    oneTimeSecretsMax: 4,
    /** Mailed codes: how long one lives, its digits, and wrong tries until it is dead. A code is guessed with a chance of 1 in 20 million. */
    codeMs: 10 * 60_000,
    codeDigits: 8,
    codeWrongMax: 5,
    /** Wrong second factors that a magic link allows. */
    magicLinkWrongCodesMax: 5,
  },
  mfa: {
    /** RFC 6238: the length of a step, digits of a code, and how many steps before and after the present one count. */
    stepSeconds: 30,
    digits: 6,
    windowSteps: 1,
    /** RFC 4226 §4 R6 recommends 160 bits. */
    secretBytes: 20,
    recoveryCodes: 10,
    recoveryCodeBytes: 10,
    /** Wrong codes of one user from any address: a burst, then one per interval. */
    wrongCodesBurst: 10,
    wrongCodeEveryMs: 30_000,
    wrongCodeEntriesMax: 10_000,
  },
  oauth: oauthLimits,
  passkeys: passkeyLimits,
  outbound: {
    deadlineMs: 10_000,
    responseBytesMax: 512 * 1024,
    /** Requests of one thread in progress; the next one is refused. */
    inFlightMax: 64,
    /** Bytes of an answer that are read only to be dropped, so that its connection can be used again. */
    droppedBytesMax: 16 * 1024,
    /** How long a webhook's connection waits for the next one, and for how many origins connections are kept. */
    keptMs: 4000,
    keptOriginsMax: 64,
  },
  mail: mailLimits,
  session: {
    /** Sessions of one principal where the product sets no `sessions.max`. */
    perPrincipalMax: 50,
    /** Active sessions of one tenant, all in memory; the next login gets 503. */
    perTenantMax: 1_000_000,
    /** Ended sessions of one principal that are kept; the oldest is removed first. */
    endedPerPrincipalMax: 10,
    /** Rows of a list, newest first. */
    listMax: 1000,
    /** Rows that one turn loads when the tenant wakes, and that one turn writes or deletes beside the requests. */
    sliceRows: 500,
    /** How often last uses are written and expired sessions deleted. */
    writeEveryMs: 60_000,
    userAgentCharsMax: 256,
    reasonCharsMax: 256,
    idCharsMax: 256,
  },
  jwks: {
    bodyBytesMax: 256 * 1024,
    deadlineMs: 5000,
    /** How long a start waits for the first fetch; after that the node serves, but accepts no token of that issuer yet. */
    startMs: 1000,
    refreshMs: 5 * 60_000,
    /** After a failure: this long, then doubled, up to the refresh interval. */
    retryMs: 1000,
    /** How often an unknown key may cause a refresh. */
    unknownKeyMs: 30_000,
    /** How far ahead the clock of a trusted issuer may be. */
    skewMs: 5000,
  },
  product: productLimits,
  develop: developLimits,
  debug: {
    /** A profile slows every thread. */
    profileMsMax: 60_000,
    /** A thread that stands still does not answer. */
    threadAnswerMs: 2_000,
    logBytesMax: 256 * 1024,
  },
  account: accountLimits,
  ...agentLimits,
  ...dataLimits,
  ...languageLimits,
  bff: bffLimits,
  content: contentLimits,
  web: webLimits,
  ...upkeepLimits,
  ...pkiLimits,
  ...peopleLimits,
  ...importLimits,
  ...privacyLimits,
  ...vaultLimits,
  ...watchdogLimits,
  ...scrubLimits,
  search: searchLimits,
  ...traceLimits,
  triggers: triggerLimits,
  submissions: submissionLimits,
  /** Rows that are created with files. Files go to the disk as they come; only the text parts are held in memory. */
  log: {
    /** Lines of requests that wait to be written, and how many of them one turn of the event loop writes. */
    requestLinesMax: 65_536,
    requestLinesPerTurn: 32,
  },
  intake: intakeLimits,
  audit: auditLimits,
  rateTable: rateTableLimits,
  rates: rateProfiles,
} as const;

if (limits.captcha.challengeMs > limits.host.idleSleepMs) throw new Error('limits: a captcha outlives its key');
if (2 * limits.web.bytesMax > limits.product.unpackedBytesMax) throw new Error('limits: pages must leave room');
if (limits.storage.commitRowsMax > limits.storage.commitPutsMax) throw new Error('limits: a row needs a put');
if (
  limits.storage.overlayEntriesMax < 4 * limits.storage.sweepCells ||
  limits.storage.overlayBytesMax < 4 * limits.storage.sweepBytes
)
  throw new Error('limits: the overlay must hold the sweep on its way and what arrives meanwhile');
if (2 * limits.identity.capabilitiesBytesMax > limits.door.headerBytesMax)
  throw new Error('limits: a service token must fit the header');
if (
  limits.identity.tokenSecondsMax < Math.max(limits.identity.serviceTokenSeconds, limits.identity.impersonationSeconds)
)
  throw new Error('limits: no token may live longer than tokenSecondsMax');
if (limits.identity.authBodyBytesMax < 2 * limits.identity.capabilitiesBytesMax)
  throw new Error('limits: capabilities must fit the body that asks for them');
if (
  limits.identity.mailEveryMs >
  Math.min(limits.identity.resetTokenMs, limits.identity.magicLinkMs, limits.identity.codeMs)
)
  throw new Error('limits: while no further mail leaves, the last one must still count');
if (limits.identity.mailEveryMs > Math.min(limits.account.signUpMs, limits.account.emailChangeMs))
  throw new Error('limits: while no further mail leaves, the last one must still count');
if (
  limits.storage.commitPutsMax <
  3 * limits.account.eraseSessionsMax + limits.account.eraseLoginsMax * (limits.identity.refreshTombstonesMax + 2)
)
  throw new Error('limits: what a deletion of an account stages must fit a commit');
if (limits.account.signUpMailsMax >= limits.mail.outboxEntriesMax)
  throw new Error('limits: strangers must not fill the outbox of mails');
if (limits.identity.mailsBurst > limits.identity.oneTimeSecretsMax)
  throw new Error('limits: every mail of a burst must hold a link that counts');
if (limits.identity.refreshTokenMs > limits.identity.refreshFamilyMs)
  throw new Error('limits: a refresh token cannot outlive its family');
if (2 * limits.changes.perNodeMax > limits.door.inFlightMax)
  throw new Error('limits: subscribers and members of channels must leave room for requests');
if (limits.channels.membersMax > limits.channels.channelRate.burst)
  throw new Error('limits: the members of a channel may all come back at once');
if (limits.channels.perCallerMax > limits.channels.callerRate.burst)
  throw new Error('limits: a caller may join with all its members at once');
if (2 * limits.channels.messageBytesMax > limits.channels.queueBytes)
  throw new Error('limits: what waits for a member has room for the longest message');
if (2 * limits.changes.liveSubscriptionsMax * limits.changes.liveAheadBytesMax > limits.changes.liveUnsentBytesMax)
  throw new Error('limits: the windows of all subscriptions of a connection must fit what it may leave unread');
if (limits.changes.liveSubscriptionsMax >= limits.changes.liveBurst)
  throw new Error('limits: a caller may ask for all its subscriptions at once');
if (2 * limits.clock.writeMs > limits.changes.idleLagMs)
  throw new Error('limits: no clock may fall behind a position that was told without a change');
if (limits.mail.sendingMax > limits.mail.queueDepthMax) throw new Error('limits: mails on the wire are in the queue');
if (2 * limits.people.rolesBytesMax > limits.door.headerBytesMax)
  throw new Error('limits: the roles of a user must fit the header');
if (5 * limits.people.indexSliceRows > limits.storage.commitRowsMax)
  throw new Error('limits: the index entries of a slice must fit a commit');
if (2 * limits.identity.claimsBytesMax > limits.door.headerBytesMax)
  throw new Error('limits: a user token must fit the header');
if (limits.session.perPrincipalMax > limits.identity.refreshFamiliesMax)
  throw new Error('limits: every session must be able to refresh');
if (2 * limits.session.sliceRows > limits.storage.commitRowsMax)
  throw new Error('limits: what one turn writes and deletes of sessions must fit a commit');
if (limits.graphql.keptCharsMax < 2 * limits.graphql.documentCharsMax)
  throw new Error('limits: every document can be kept');
if (limits.graphql.firstMax > limits.data.listLimitMax)
  throw new Error('limits: a page of GraphQL is no longer than a list');
if (2 * limits.data.exportSnapshotMs > limits.storage.snapshotMsMax)
  throw new Error('limits: an export must let go of a snapshot before it is taken away');
if (limits.data.importChunkRows > limits.storage.commitRowsMax) throw new Error('limits: a chunk must fit a commit');
if (limits.traces.exportSpansMax > limits.traces.queueSpansMax)
  throw new Error('limits: the spans of one export must fit the queue');
if (limits.intake.batchMax > limits.intake.queueDepth) throw new Error('limits: a batch must fit the queue');
if (limits.intake.replayLinesMax > limits.storage.commitRowsMax)
  throw new Error('limits: a replayed group must fit a commit');
if (limits.audit.recordBytesMax > 0xffff) throw new Error('limits: a record must fit a bundle');
if (limits.audit.writeBytesMax > limits.audit.segmentBytes) throw new Error('limits: a write must fit a segment');
if (2 * limits.backup.commitEntries > limits.storage.commitRowsMax)
  throw new Error('limits: what a restore commits must fit a commit');
if (limits.backup.pressureMax >= limits.host.brakeFrom)
  throw new Error('limits: a restore must wait before callers do');
for (const { sliceMsMax, sliceReadMsMax } of [limits.plans, limits.retention])
  if (2 * sliceReadMsMax > sliceMsMax)
    throw new Error('limits: a slice must leave its commit as much time as its reads');
if (2 * limits.locks.beatMs > limits.locks.ttlMs) throw new Error('limits: a holder may miss one beat');
if (limits.retention.batchRowsMax > limits.storage.commitRowsMax) throw new Error('limits: a batch must fit a commit');
