/** Puts the audit sealer together: logs, their HTTP service behind the same host as the others, the copies, and the node's own events. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import type { Platform } from '#config/platform.ts';
import { unpackEvents } from '#actors/host/outbox/event-batch.ts';
import { Host } from '#actors/host/host.ts';
import type { Service } from '#actors/host/service.ts';
import { livesByToken, type SessionLives } from '#actors/audit/admit.ts';
import { Audit } from '#actors/audit/audit.ts';
import { newestRecord } from '#actors/audit/newest-record.ts';
import { forgetPerson, recordsOfPerson } from '#actors/audit/of-person.ts';
import { Freshness } from '#actors/audit/freshness.ts';
import { LogBook } from '#actors/audit/log-book.ts';
import { auditService } from '#actors/audit/service.ts';
import { Suspended } from '#actors/audit/suspended.ts';
import { startPruning } from '#actors/audit/prune-round.ts';
import { startSync } from '#actors/audit/sync-round.ts';
import { LmdbHeads, openEnvironment, type Environment } from '#actors/audit/store.ts';
import { VaultPeers } from '#actors/audit/vault-peers.ts';
import { BearerCheck } from '#actors/kit/bearer.ts';
import { systemClock } from '#actors/kit/clock.ts';
import type { AuditBatch, AuditEvent, LastWord, NodeBatch } from '#actors/protocol/audit.ts';
import { Channel, Outbox } from '#actors/protocol/channel.ts';
import { REPLIES, type Flat } from '#actors/protocol/frame.ts';
import { tenantLogId } from '#actors/protocol/position.ts';
import { atNumbers, compileRows, type FirstRoutes } from '#runtime/compile-rows.ts';
import { COLUMN } from '#runtime/observe/columns.ts';
import { degradedOver } from '#runtime/observe/degraded.ts';
import { Meter } from '#runtime/observe/meter.ts';
import { threadLogger } from '#runtime/observe/thread-logger.ts';
import { skepVersion } from '#runtime/version.ts';
import { startLogScrub, watchAudit } from './audit-meter.ts';
import { auditSettings } from './audit-settings.ts';
import { fatalIn } from './fatal.ts';
import { callForKeys, type KeyCall } from './key-call.ts';
import { logKeys } from './log-keys.ts';
import { ThreadRing } from './ring.ts';
import { pemCertificates } from './pem-certificates.ts';
import { threadSpans } from './thread-spans.ts';
import { witnessPeer } from './witness-peer.ts';
import { Pulse } from '#actors/host/pulse.ts';
import { keepBeat, type BeatingData } from './keep-beat.ts';

export interface AuditSealerData extends BeatingData {
  readonly platform: Platform;
  readonly firstRoute: FirstRoutes;
  readonly keyCall: KeyCall;
  readonly metrics: SharedArrayBuffer;
  /** The life of this node among those on the log; null where files acknowledge. */
  readonly life: string | null;
}

/** The folder of the sealer's own state, beside the logs; no log id begins with a dot. */
const STATE = '.state';

/** Opens when main asks, then serves; requests that arrive earlier wait. */
export function runAuditSealer(port: MessagePort, data: AuditSealerData): void {
  const channel = new Channel(port, 'audit-sealer', 'main');
  keepBeat(channel, new Pulse(data.pulse));
  const early: Flat[] = [];
  channel.onBatch = (batch) => early.push(batch);
  const ring = new ThreadRing(data.platform.jwks.issuers.iam, () => callForKeys(data.keyCall));
  channel.answer('host.ring', (records) => {
    ring.set(records);
    return null;
  });
  channel.answer('host.trust', (keys) => {
    ring.trust(keys);
    return null;
  });
  const suspended = new Suspended();
  channel.answer('audit.suspended', (tenants) => {
    suspended.replace(tenants);
    return null;
  });
  channel.answer('audit.open', async () => {
    const sealer = await open(channel, data, ring, suspended);
    channel.answer('thread.copy', ({ directory }) => sealer.copy(directory));
    channel.answer('audit.append', (batch) => sealer.append(batch));
    channel.answer('audit.record', (batch) => sealer.record(batch));
    channel.answer('audit.newest', (asked) => sealer.newest(asked));
    channel.answer('audit.last', ({ log, source }) => sealer.last(log, source));
    channel.answer('audit.person', ({ log, user, from }) => recordsOfPerson(sealer.book, log, user, from));
    channel.answer('audit.forget', ({ log, email }) => forgetPerson(sealer.book, log, email));
    channel.answer('thread.drain', () => sealer.close());
    channel.onBatch = (batch) => sealer.host.receive(batch);
    for (const batch of early) sealer.host.receive(batch);
    return null;
  });
}

interface Sealer {
  readonly host: Host;
  readonly book: LogBook;
  append(batch: AuditBatch): Promise<null>;
  record(batch: NodeBatch): Promise<null>;
  last(logId: string, source: string): Promise<number>;
  newest(asked: LastWord): Promise<AuditEvent | null>;
  copy(directory: string): Promise<{ readonly copied: boolean }>;
  close(): Promise<null>;
}

async function open(
  channel: Channel,
  { platform, firstRoute, metrics, life }: AuditSealerData,
  ring: ThreadRing,
  suspended: Suspended,
): Promise<Sealer> {
  const settings = auditSettings(platform);
  const log = threadLogger(platform, 'audit');
  const onFatal = await fatalIn('audit-sealer');
  const environment: Environment = openEnvironment(join(settings.baseDir, STATE), { onFatal });
  const after = (ms: number, run: () => void): (() => void) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  };
  // A malformed witness setting refuses the start, instead of failing in every round.
  for (const { anchor } of settings.sync) if (anchor !== null) witnessPeer(anchor);
  const heads = new LmdbHeads(environment);
  const degraded = degradedOver(channel);
  // Such a node alone loads the client of the database.
  const shared = platform.audit.backend.kind === 'files' ? null : await import('./audit-leaves.ts');
  const leaves = shared?.openLeaves(platform, life!, log, degraded);
  const book = new LogBook({
    settings,
    keys: logKeys(channel, platform, log),
    heads,
    clock: systemClock,
    random: randomBytes,
    log,
    after,
    onFatal,
    degraded,
    witness: witnessPeer,
    leaves,
  });
  await shared?.knowLogs(book, log);
  const sessionLives = platform.service === null ? sessionsOver(channel) : livesByToken;
  const [synced, witnessed] = [new Freshness(() => systemClock.now()), new Freshness(() => systemClock.now())];
  const copies = settings.sync.map((one) => startSync({ book, log, after, synced, witnessed }, one));
  const meter = new Meter(metrics, COLUMN['audit-sealer']);
  const stateDir = join(settings.baseDir, STATE);
  const scrubs = startLogScrub({ platform, stateDir, book, meter, degraded, log });
  const rounds = { synced, witnessed, scrubs };
  const audit = new Audit({ book, clock: systemClock, version: skepVersion(), sessionLives, rounds });
  const ends = [
    ...copies,
    startPruning({ book, log, after, clock: systemClock }),
    watchAudit({ book, synced, witnessed }, meter),
    () => scrubs?.stop(),
  ];
  return {
    host: hostOf({ platform, firstRoute }, channel, serviceOf(platform, audit, ring, suspended)),
    book,
    append: (batch) => keep(book, tenantLogId(batch.position), unpackEvents(batch)),
    record: ({ log: logId, events }) => keep(book, logId, events),
    newest: (asked) => newestRecord(book, asked),
    copy: async (directory) => {
      await environment.copyTo(directory);
      return { copied: true };
    },
    last: async (logId, source) => (await book.open(logId)).lastOf(source),
    close: async () => {
      audit.draining = true;
      for (const stop of ends) await stop();
      await (leaves === undefined ? book.close() : shared!.closed(book, leaves));
      await environment.close();
      return null;
    },
  };
}

/** Resolves when events from inside the node are durable, whatever the log's route says: their source forgets them then. */
async function keep(book: LogBook, logId: string, events: readonly AuditEvent[]): Promise<null> {
  const log = await book.open(logId);
  if (log.isFull) throw new Error(`${log.id}: too many records wait`);
  const { fate } = await log.append(events, 'strict');
  if (fate !== 'kept') throw new Error(`${log.id}: ${fate === 'full' ? 'no room' : 'not written'}`);
  return null;
}

/** Asks a tenant's identity whether a session lives. */
function sessionsOver(channel: Channel): SessionLives {
  return async ({ tenant: key, sid, subject, issuedAtMs }) => {
    const ask = { key, verb: 'session.lives', body: { sid, subject, issuedAtMs } };
    const answer = (await channel.ask('node.ask', { verb: 'identity.ask', body: ask })) as {
      readonly ok: boolean;
      readonly value?: unknown;
    };
    return answer.ok && answer.value === true;
  };
}

/** The vaults elsewhere that may record here, known by the issuers of their certificates. */
function vaultPeers({ audit: { vault } }: Platform): VaultPeers {
  return new VaultPeers(vault.ca === undefined ? [] : pemCertificates(vault.ca, 'audit.vault.ca'));
}

function serviceOf(platform: Platform, audit: Audit, ring: ThreadRing, suspended: Suspended): Service {
  const bearers = new BearerCheck({ clock: systemClock, ring, checksAudience: platform.jwks.check_audience }, 'audit');
  return auditService(audit, { bearers, vaults: vaultPeers(platform), suspended });
}

type Settings = Pick<AuditSealerData, 'platform' | 'firstRoute'>;

function hostOf({ platform, firstRoute }: Settings, channel: Channel, service: Service): Host {
  const outbox = new Outbox(channel, REPLIES, queueMicrotask);
  return new Host({
    log: threadLogger(platform, 'audit'),
    routes: atNumbers(compileRows(platform, service.name, service.routes, firstRoute[service.name]!)),
    services: new Map([[service.name, service]]),
    planeNo: null,
    wake: () => Promise.reject(new Error('audit knows no tenant')),
    send: (no, status, headers, body) => outbox.batch.push(no, status, headers, body),
    later: setImmediate,
    monotonic: () => performance.now(),
    spans: threadSpans(platform, (batch) => channel.tell('node.spans', batch)),
  });
}
