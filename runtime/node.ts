/** One node: threads, doors, signals. `skep` starts it from the command line, an embedder with `startNode`. */
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ListenerName } from '#config/defaults.ts';
import { limits } from '#config/limits.ts';
import type { Platform } from '#config/platform.ts';
import { redacted } from '#config/redact.ts';
import { referencesOf } from '#config/references.ts';
import { markFormat } from '#storage/format.ts';
import type { DirectoryFormat } from '#storage/format.ts';
import { lockDirectory } from '#storage/lock.ts';
import { loadBallast } from '#storage/space.ts';
import type { Log } from '#actors/host/activation.ts';
import { systemClock } from '#actors/kit/clock.ts';
import { createPasswordCells } from '#actors/kit/password-gate.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import { adminAnswerOf, relayedCallOf } from './admin-call.ts';
import type { AdminAnswer, AdminRequest } from './admin-call.ts';
import { letYoungObjectsDieYoung } from './collector.ts';
import { CONTROL_ENTRY } from './control-plane.ts';
import { TenantCopies } from './copies/tenant-copies.ts';
import { bootstrapData } from './data-bootstrap.ts';
import type { BootstrapRow, BootstrapWish } from './data-bootstrap.ts';
import { DiskWatch } from './disk-watch.ts';
import { Directory } from './door/directory.ts';
import { openDoors } from './door/open-doors.ts';
import type { Doors } from './door/open-doors.ts';
import { AuditRoom } from './audit-room.ts';
import { DELETED, MAIL, MailRoom, WEBHOOKS } from './mail-room.ts';
import type { MailRoomPorts } from './mail-room.ts';
import { NodeEvents, attachSource } from './node-events.ts';
import { NodeWatchdog } from './node-watchdog.ts';
import { NoticeRoom } from './notice-room.ts';
import { COLUMN, columnNames } from './observe/columns.ts';
import { DegradedRegistry } from './observe/degraded.ts';
import { Meter } from './observe/meter.ts';
import { cellOf, createMetricTable } from './observe/metric-table.ts';
import { loadLogger } from './observe/logger.ts';
import { threadLogger } from './observe/thread-logger.ts';
import type { JwksClient } from './jwks-client.ts';
import { answerNodeAsk } from './node-asks.ts';
import type { ProvisionOptions, ProvisionReport, Told } from './provision.ts';
import { Rates } from './door/rates.ts';
import { sweepRevisions } from './revision-sweep.ts';
import { Revisions } from './revisions.ts';
import { RingKeys } from './ring-keys.ts';
import { Child } from './supervisor/child.ts';
import type { Drills } from './supervisor/drills.ts';
import { Supervisor } from './supervisor/supervisor.ts';
import { Tenants } from './tenants.ts';
import { skepVersion } from './version.ts';
import { createKeyCall } from './threads/key-call.ts';
import { withVaultSecrets } from './vault-secrets.ts';
import { firstLook, trustedIssuer } from './trusted-issuer.ts';
import { FATAL_EXIT, loadExit } from './threads/fatal.ts';

const NO_EVENTS = { batch: { records: [] }, upTo: 0, more: false };

export interface NodeOptions {
  /** False: threads only, for commands that need the stores but serve nobody. */
  readonly doors?: boolean;
  /** A service that runs alone: its own listener opens, and operations; neither the gateway nor another one. */
  readonly alone?: ListenerName;
}

export interface Node {
  /** URL by listener: `gateway`, `operations`, and the service listeners that are open. */
  readonly listeners: Readonly<Record<string, string>>;
  /** Registers, bootstraps, seeds and activates a configured or registered tenant; idempotent. */
  provision(key: string, options?: ProvisionOptions): Promise<ProvisionReport>;
  /** Stores and schemas of tenants and planes, and the first people in them; idempotent. */
  bootstrap(wish: BootstrapWish, told?: Told): Promise<BootstrapRow[]>;
  /** A new token signing key; keys whose last token has expired go. */
  rotateRing(): Promise<unknown>;
  /** Asks a tenant's actor (an operator's verb; never reachable over HTTP). */
  ask(key: string, service: string, verb: string, body: unknown): Promise<unknown>;
  /** Calls a row of a tenant's admin plane in the node's own name (an operator's verb). Throws when there is no such tenant. */
  admin(request: AdminRequest): Promise<AdminAnswer>;
  /** Tenants of the registry, without the planes. */
  tenants(): readonly TenantEntry[];
  /** Backup, restore, export, move and deletion of tenants. */
  readonly copies: Pick<TenantCopies, 'backup' | 'restore' | 'export' | 'move' | 'delete'>;
  /** Drills: what a crash of a thread would do. */
  readonly drill: Drills;
  /** SIGHUP: rotates logs; the vault reads its root keys and policies again. */
  rotate(): Promise<void>;
  /** Drains: accepted requests are answered, everything is durable, the directory is free again. */
  stop(): Promise<void>;
}

/** Starts a node on a checked platform. Throws with a clear message when the directory is taken or a port is in use. */
export async function startNode(platform: Platform, options: NodeOptions = {}): Promise<Node> {
  letYoungObjectsDieYoung();
  const dataDir = platform.storage.dir;
  makeDataDirectory(dataDir);
  const lock = await lockDirectory(dataDir);
  const unlock = (): void => lock.release();
  try {
    tellUpgrade(platform, markFormat(dataDir, skepVersion()));
    await loadBallast(dataDir, platform.storage.ballast_bytes);
    new Revisions(dataDir).clearLoading();
    return await start(platform, options, unlock);
  } catch (error) {
    unlock();
    throw error;
  }
}

/** A directory that another version served last. */
function tellUpgrade(platform: Platform, before: DirectoryFormat | null): void {
  const now = skepVersion();
  if (before === null || before.skep === now) return;
  const fields = { dir: platform.storage.dir, before: before.skep, now };
  threadLogger(platform, 'node').info(fields, 'the data directory was last served by another version of skep');
}

function makeDataDirectory(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'EEXIST' || code === 'ENOTDIR' ? 'a file is in its way' : (error as Error).message;
    const mend = 'name another one: storage.dir of the platform file, or SKEP_DATA';
    throw new Error(`${dataDir} cannot be the data directory: ${why}\n    ${mend}`, { cause: error });
  }
}

async function start(platform: Platform, options: NodeOptions, unlock: () => void): Promise<Node> {
  const log = threadLogger(platform, 'node');
  const exit = await loadExit();
  const rates = new Rates(platform);
  const metrics = createMetricTable(columnNames(platform.hosts).length);
  const meter = new Meter(metrics, COLUMN.main);
  const degraded = new DegradedRegistry({ clock: systemClock, log, meter });
  const keyCall = createKeyCall();
  const directory = new Directory(platform.hives.tenant.map((tenant) => tenant.key));
  directory.put([CONTROL_ENTRY]);
  let doors: Doors | null = null;
  const passwords = createPasswordCells(platform.hosts);
  const notices = new NoticeRoom();
  const roomPorts = (service: string): MailRoomPorts => ({
    ask: (tenantNo, verb, body) => {
      const entry = directory.byNo(tenantNo);
      if (entry === undefined) return Promise.resolve(DELETED);
      return supervisor.ask(entry.shard, tenantNo, service, verb, body);
    },
    after: (ms, run) => void setTimeout(run, ms).unref(),
    log,
  });
  const mail = new MailRoom(MAIL, roomPorts('identity'));
  const webhooks = new MailRoom(WEBHOOKS, roomPorts('content'));
  const events = new NodeEvents({
    enabled: platform.audit.enabled,
    clock: systemClock,
    log,
    after: (ms, run) => void setTimeout(run, ms).unref(),
  });
  const outboxes = new AuditRoom({
    ask: (tenantNo, verb, body) => {
      const entry = directory.byNo(tenantNo);
      if (entry === undefined) return Promise.resolve(NO_EVENTS); // it was deleted
      return supervisor.ask(entry.shard, tenantNo, 'host', verb, body);
    },
    after: (ms, run) => void setTimeout(run, ms).unref(),
    log,
  });
  /** With the secrets that the vault holds, once it was asked for them. */
  const filled = { platform };
  const supervisor: Supervisor = new Supervisor(
    {
      platform,
      clock: systemClock,
      log,
      degraded,
      spawn: (row) => {
        const child = new Child(row, { platform: filled.platform, rates: rates.buffer, metrics, passwords, keyCall });
        degraded.attach(child.channel, child.gone);
        child.channel.answer('node.ask', (ask) => answerNodeAsk(tenants, ask));
        child.channel.answer('node.call', (call) => tenants.relay(call));
        if (row.name === 'tenant-host') {
          mail.attachHost(child.channel);
          webhooks.attachHost(child.channel);
          child.channel.answer('vault.tenant-secret', (asked) => supervisor.tenantSecret(asked));
        }
        if (row.name === 'intake-writer') notices.attachWriter(child.channel);
        if (row.name === 'courier') {
          mail.attachCourier(child.channel, child.gone);
          webhooks.attachCourier(child.channel, child.gone);
          notices.attachCourier(child.channel);
        }
        if (row.name === 'tenant-host') outboxes.attachHost(child.channel);
        attachSource(events, row.name, child.channel);
        if (row.name === 'audit-sealer') {
          child.channel.answer('vault.key', ({ path }) => supervisor.signingKey(path, true));
          outboxes.attachSealer(child.channel, child.gone);
          events.attachSealer(child.channel, child.gone);
        }
        return child;
      },
      restarted: (name, reason) => {
        meter.add(cellOf('threadRestarts'));
        events.platform('platform.thread.replace', name, { reason });
      },
      draining: async (name) => {
        if (name === 'audit-sealer') await events.settle(limits.audit.nodeEventsSettleMs);
      },
      replies: (batch) => doors?.gate.replies(batch),
      lost: (desk) => doors?.gate.lost(desk),
      giveUp: (reason) => {
        log.error({ reason }, 'the node cannot go on');
        exit(FATAL_EXIT);
      },
    },
    shardsPresent(platform.storage.dir),
  );
  const tenants = new Tenants({
    platform,
    supervisor,
    directory,
    ringKeys: new RingKeys({
      place: platform.identity.keyring?.slice('vault:'.length) ?? null,
      signingKey: (path, make) => supervisor.signingKey(path, make),
      forgetKey: (path) => supervisor.forgetKey(path),
    }),
    told: (action, key, data) => events.platform(action, key, data),
  });
  const disk = new DiskWatch({
    path: platform.storage.dir,
    freeBytesMin: platform.service === 'audit' ? 0 : platform.storage.free_bytes_min, // its logs tell their own disk's end
    degraded,
  });
  const watchdog = new NodeWatchdog({ platform, supervisor, directory, degraded, log });
  directory.onFirstRequest = (key) => tenants.registerConfigured(key);
  directory.onGone = (key) => degraded.forgetTenant(key);
  const issuer = trustedIssuer(platform, supervisor, keyCall, log);
  try {
    if (referencesOf(platform).length > 0)
      filled.platform = await withVaultSecrets(platform, await supervisor.startVault());
    return await open(filled.platform, options, {
      outboxes,
      log,
      supervisor,
      tenants,
      directory,
      rates,
      metrics,
      meter,
      degraded,
      watchdog,
      disk,
      issuer,
      events,
      unlock,
      doors: (opened) => (doors = opened),
    });
  } catch (error) {
    await issuer?.stop();
    await supervisor.abort();
    throw error;
  }
}

interface Parts {
  readonly outboxes: AuditRoom;
  readonly log: Log;
  readonly supervisor: Supervisor;
  readonly tenants: Tenants;
  readonly directory: Directory;
  readonly rates: Rates;
  readonly metrics: SharedArrayBuffer;
  readonly meter: Meter;
  readonly degraded: DegradedRegistry;
  readonly watchdog: NodeWatchdog;
  readonly disk: DiskWatch;
  readonly issuer: JwksClient | null;
  readonly events: NodeEvents;
  readonly unlock: () => void;
  /** Replies go to the doors from now on. */
  doors(opened: Doors): void;
}

async function open(platform: Platform, options: NodeOptions, parts: Parts): Promise<Node> {
  const { directory, events, issuer, log, rates, supervisor, tenants, unlock } = parts;
  await supervisor.start();
  await supervisor.recallVault();
  if (platform.service === null) {
    await supervisor.share([CONTROL_ENTRY], []);
    await tenants.ringFromTheStart(log);
  }
  if (issuer !== null && options.doors !== false) await firstLook(issuer);
  if (options.doors !== false) loadLogger(platform.log.level);
  const doors =
    options.doors === false
      ? null
      : await openDoors({
          platform,
          alone: options.alone ?? platform.service,
          directory,
          rates,
          supervisor,
          log,
          metrics: parts.metrics,
          meter: parts.meter,
          degraded: parts.degraded,
          watchdog: parts.watchdog,
          more: () => [...parts.watchdog.families(), ...parts.disk.families()],
        });
  if (doors !== null) {
    parts.doors(doors);
    parts.watchdog.start(doors.gate);
    await parts.disk.start();
    supervisor.warmSpare();
  }
  const copies = new TenantCopies({
    tenants,
    supervisor,
    directory,
    log,
    clock: systemClock,
    dataDir: platform.storage.dir,
    told: (action, key, data) => events.platform(action, key, data),
  });
  if (doors !== null && platform.service === null)
    void copies
      .resume()
      .catch((error: unknown) => log.error({ err: error }, 'what a stop left of copies could not be looked for'));
  const stopSweep =
    doors === null || platform.service !== null
      ? () => undefined
      : sweepRevisions({ dataDir: platform.storage.dir, supervisor, clock: systemClock, log });
  const version = skepVersion();
  events.platform('platform.node.start', platform.audit.name, {
    version,
    hosts: platform.hosts,
    config: digest(platform),
  });
  return {
    listeners: doors?.urls ?? {},
    tenants: () => directory.all().filter((tenant) => tenant.localdir !== null),
    provision: async (key, provision) => {
      const answer = await tenants.provision(key, provision);
      if (!answer.ok) throw new Error(answer.message);
      return answer.value;
    },
    bootstrap: (wish, told = () => undefined) => bootstrapData(platform, tenants, wish, told),
    rotateRing: async () => {
      const rotated = await tenants.rotateRing();
      events.platform('platform.ring.rotate', '', {});
      return rotated;
    },
    admin: async (request) => adminAnswerOf(await tenants.admin(request.tenant, relayedCallOf(request))),
    ask: async (key, service, verb, body) => tenants.ask(key, service, verb, body),
    copies,
    drill: supervisor.drills,
    rotate: async () => {
      parts.watchdog.lift();
      await Promise.all([supervisor.rotateIntake(), supervisor.reloadVault()]);
      events.platform('platform.logs.rotate', '', {});
    },
    stop: async () => {
      parts.watchdog.stop();
      parts.disk.stop();
      stopSweep();
      if (doors !== null) await supervisor.retireIntake();
      await doors?.close();
      await issuer?.stop();
      events.platform('platform.node.stop', platform.audit.name, {});
      parts.outboxes.stop();
      await supervisor.stop();
      unlock();
    },
  };
}

/** The configuration that was in force, told by its hash: without its secrets, so that nobody can try them against it. */
function digest(platform: Platform): string {
  return hash('sha256', JSON.stringify(redacted(platform)), 'hex');
}

function shardsPresent(dataDir: string): number {
  const dir = join(dataDir, 'shards');
  return existsSync(dir) ? readdirSync(dir).length : 0;
}
