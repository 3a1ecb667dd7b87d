/** One node: threads, doors, signals. `skep` starts it from the command line, an embedder with `startNode`. */
import { hash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as passed } from 'node:timers/promises';
import type { ListenerName } from '#config/defaults.ts';
import { limits } from '#config/limits.ts';
import type { Platform } from '#config/platform.ts';
import { redacted } from '#config/redact.ts';
import { referencesOf } from '#config/references.ts';
import { createArchiveCells } from '#storage/archive-cells.ts';
import type { Log } from '#actors/host/activation.ts';
import { createClockFloor, standOnFloor, systemClock } from '#actors/kit/clock.ts';
import { createPasswordCells } from '#actors/kit/password-gate.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import { adminAnswerOf, relayedCallOf } from './admin-call.ts';
import type { AdminAnswer, AdminRequest } from './admin-call.ts';
import { ClockFloorKeeper } from './clock-floor.ts';
import { letYoungObjectsDieYoung } from './collector.ts';
import { CONTROL_ENTRY } from './control-plane.ts';
import { TenantCopies } from './copies/tenant-copies.ts';
import { bootstrapData } from './data-bootstrap.ts';
import type { BootstrapRow, BootstrapWish } from './data-bootstrap.ts';
import { DiskWatch } from './disk-watch.ts';
import { Directory } from './door/directory.ts';
import { openDoors } from './door/open-doors.ts';
import type { Doors } from './door/open-doors.ts';
import { outsideMarkKeeper } from './mark-keeper.ts';
import type { OutsideMarkKeeper } from './mark-keeper.ts';
import { NodeEvents, attachSource } from './node-events.ts';
import { NodeWatchdog } from './node-watchdog.ts';
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
import { Relays } from './relays/relays.ts';
import { sweepRevisions } from './revision-sweep.ts';
import { Revisions } from './revisions.ts';
import { RingKeys } from './ring-keys.ts';
import { Child } from './supervisor/child.ts';
import type { Drills } from './supervisor/drills.ts';
import { Supervisor } from './supervisor/supervisor.ts';
import { takeDirectory } from './take-directory.ts';
import { Tenants } from './tenants.ts';
import { skepVersion } from './version.ts';
import { createKeyCall } from './threads/key-call.ts';
import { withVaultSecrets } from './vault-secrets.ts';
import { firstLook, trustedIssuer } from './trusted-issuer.ts';
import { FATAL_EXIT, loadExit } from './threads/fatal.ts';

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
  /** Backup, restore, export, move, deletion and repair of tenants. */
  readonly copies: Pick<TenantCopies, 'backup' | 'restore' | 'export' | 'move' | 'delete' | 'repair'>;
  /** Drills: what a crash of a thread would do. */
  readonly drill: Drills;
  /** SIGHUP: rotates logs; the doors read their certificates again, the vault its root keys and policies. */
  rotate(): Promise<void>;
  /**
   * Drains: accepted requests are answered, everything is durable, the directory is free again. For `noticeMs` before that readiness says 503
   * while requests are still taken, so that a balancer looks elsewhere before a connection is refused.
   */
  stop(noticeMs?: number): Promise<void>;
}

/** Starts a node on a checked platform. Throws with a clear message when the directory is taken or a port is in use. */
export async function startNode(platform: Platform, options: NodeOptions = {}): Promise<Node> {
  letYoungObjectsDieYoung();
  const { markId, unlock } = await takeDirectory(platform, threadLogger(platform, 'node'));
  try {
    new Revisions(platform.storage.dir).clearLoading();
    return await start(platform, options, unlock, markId);
  } catch (error) {
    unlock();
    throw error;
  }
}

async function start(
  platform: Platform,
  options: NodeOptions,
  unlock: () => void,
  markId: string | null,
): Promise<Node> {
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
  const archives = createArchiveCells(platform.hosts);
  const clock = createClockFloor();
  standOnFloor(clock);
  const floor = new ClockFloorKeeper({ dataDir: platform.storage.dir, degraded });
  const relays = new Relays({
    noticeDepth: platform.intake.notify.queue_depth,
    directory,
    hostOf: (shard) => supervisor.hostOf(shard),
    after: (ms, run) => void setTimeout(run, ms).unref(),
    log,
  });
  directory.onChange = () => relays.tenantsChanged();
  const events = new NodeEvents({
    enabled: platform.audit.enabled,
    clock: systemClock,
    log,
    after: (ms, run) => void setTimeout(run, ms).unref(),
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
        const child = new Child(row, {
          platform: filled.platform,
          rates: rates.buffer,
          metrics,
          passwords,
          archives,
          clock,
          keyCall,
        });
        degraded.attach(child.channel, child.gone);
        if (row.name === 'tenant-host' || row.name === 'audit-sealer')
          child.channel.answer('node.ask', (ask) => answerNodeAsk(tenants, ask));
        if (row.name === 'tenant-host') {
          child.channel.answer('node.call', (call) => tenants.relay(call));
          child.channel.answer('vault.tenant-secret', (asked) => supervisor.tenantSecret(asked));
        }
        relays.attach(child);
        attachSource(events, row.name, child.channel);
        if (row.name === 'audit-sealer') {
          child.channel.answer('vault.key', ({ path }) => supervisor.signingKey(path, true));
          events.attachSealer(child.channel, child.gone);
        }
        return child;
      },
      restarted: (name, reason) => {
        meter.add(cellOf('threadRestarts'));
        events.platform('platform.thread.replace', name, { reason });
      },
      draining: async (name) => {
        await relays.draining(name);
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
      relays,
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
      floor,
      mark: outsideMarkKeeper(platform.storage, markId, archives, degraded),
      issuer,
      events,
      unlock,
      doors: (opened) => (doors = opened),
    });
  } catch (error) {
    await issuer?.stop();
    await supervisor.abort();
    await floor.stop();
    throw error;
  }
}

interface Parts {
  readonly relays: Relays;
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
  readonly mark: OutsideMarkKeeper | null;
  readonly floor: ClockFloorKeeper;
  readonly issuer: JwksClient | null;
  readonly events: NodeEvents;
  readonly unlock: () => void;
  /** Replies go to the doors from now on. */
  doors(opened: Doors): void;
}

async function open(platform: Platform, options: NodeOptions, parts: Parts): Promise<Node> {
  const { directory, events, issuer, log, rates, supervisor, tenants, unlock } = parts;
  await supervisor.start();
  await parts.mark?.start();
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
    recall: () => parts.relays.recall(),
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
      await Promise.all([supervisor.rotateIntake(), supervisor.reloadVault(), doors?.renew()]);
      events.platform('platform.logs.rotate', '', {});
    },
    stop: async (noticeMs = 0) => {
      doors?.retire();
      if (doors !== null) await supervisor.retireIntake();
      if (noticeMs > 0) await passed(noticeMs);
      parts.watchdog.stop();
      parts.disk.stop();
      stopSweep();
      tenants.stop();
      await doors?.close();
      await issuer?.stop();
      events.platform('platform.node.stop', platform.audit.name, {});
      parts.relays.stop();
      await supervisor.stop();
      await parts.mark?.stop();
      await parts.floor.stop();
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
