/** One node: threads, doors, signals. `skep` starts it from the command line, an embedder with `startNode`. */
import { hash } from 'node:crypto';
import { setTimeout as passed } from 'node:timers/promises';
import type { ListenerName } from '#config/defaults.ts';
import { hasLog } from '#config/journal-problems.ts';
import { limits } from '#config/limits.ts';
import type { Platform } from '#config/platform.ts';
import { redacted } from '#config/redact.ts';
import { referencesOf } from '#config/references.ts';
import type { Log } from '#actors/host/activation.ts';
import type { QuotaWish } from '#actors/identity/tenant-quota.ts';
import type { StandingWish } from '#actors/identity/tenant-standing.ts';
import { systemClock } from '#actors/kit/clock.ts';
import type { ErasedSubmissions } from '#actors/protocol/person.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import type { UsageRow } from '#actors/protocol/usage.ts';
import { adminAnswerOf, relayedCallOf, type AdminAnswer, type AdminRequest } from './admin-call.ts';
import type { Renewed } from './acme/keeper.ts';
import type { NodeBackups } from './backups/node-backups.ts';
import { StandbyDoor } from './door/standby-door.ts';
import { letYoungObjectsDieYoung, settleLater, settleProcessWhenIdle } from './collector.ts';
import { certificatesOf, endMirror, renewCertificate } from './certificates.ts';
import type { ClusterNode } from './cluster/cluster-node.ts';
import type { JoinedLog } from './cluster/join-log.ts';
import type { ShardCopies } from './cluster/shard-copies.ts';
import type { LinkedPeople } from './console/login-links.ts';
import { CONTROL_ENTRY } from './control-plane.ts';
import { TenantCopies } from './copies/tenant-copies.ts';
import { bootstrapData, type BootstrapRow, type BootstrapWish } from './data-bootstrap.ts';
import { eraseSubmissions } from './erase-submissions.ts';
import { closeStanding, openNodeDoors, withDoors } from './node-doors.ts';
import { nodeParts, type NodeParts } from './node-parts.ts';
import type { DegradedEntry } from './observe/degraded.ts';
import type { Supervisor } from './supervisor/supervisor.ts';
import { loadLogger } from './observe/logger.ts';
import { threadLogger } from './observe/thread-logger.ts';
import type { ProvisionOptions, ProvisionReport, Told } from './provision.ts';
import { sweepRevisions } from './revision-sweep.ts';
import { Revisions } from './revisions.ts';
import type { Drills } from './supervisor/drills.ts';
import { explainFull, takeDirectory } from './take-directory.ts';
import { firstLook } from './trusted-issuer.ts';
import type { UsageWish } from './usage/usage-keeper.ts';
import { withVaultSecrets } from './vault-secrets.ts';
import { skepVersion } from './version.ts';

export interface NodeOptions {
  /** False: threads only, for commands that need the stores but serve no requests. */
  readonly doors?: boolean;
  /** A service that runs alone: only its own listener and the operations listener open. */
  readonly alone?: ListenerName;
  /** Is given, before one opens, what closes the doors of a node that stands by, as `stop` does, before the process ends. */
  readonly onDoors?: (close: (noticeMs: number) => Promise<void>) => void;
  /** Is told while another node serves the log, and this one waits for its place. */
  readonly onStandby?: (serving: string) => void;
  /** Is told once the node serves, when an operator wants it to hand over to another node, which is named: it stops in order, and may be started again. Left out, it goes on. */
  readonly onHandOver?: (heir: string) => void;
}

export interface Node {
  /** URL by listener: `gateway`, `operations`, and the others that are open. */
  readonly listeners: Readonly<Record<string, string>>;
  /** Registers, bootstraps, seeds and activates a configured or registered tenant; idempotent. */
  provision(key: string, options?: ProvisionOptions): Promise<ProvisionReport>;
  /** Stores and schemas of tenants and planes, and the first people in them; idempotent. */
  bootstrap(wish: BootstrapWish, told?: Told): Promise<BootstrapRow[]>;
  /** An address of the console that logs these people in where they are, once each and within ten minutes; null where no console listens. */
  consoleLink(people: LinkedPeople): string | null;
  /** Makes a new token signing key and removes keys whose last token has expired. */
  rotateRing(): Promise<unknown>;
  /** Asks a tenant's actor (an operator's verb; never reachable over HTTP). */
  ask(key: string, service: string, verb: string, body: unknown): Promise<unknown>;
  /** Calls a row of a tenant's admin plane in the node's own name (an operator's verb). Throws when there is no such tenant. */
  admin(request: AdminRequest): Promise<AdminAnswer>;
  /** Suspends a tenant, makes it read-only, or lets it serve again (an operator's verb). */
  stand(wish: StandingWish): Promise<TenantEntry>;
  /** Bounds what a tenant may use within a day (an operator's verb). */
  setQuota(wish: QuotaWish): Promise<TenantEntry>;
  /** What tenants have used, by day. */
  usage(wish: UsageWish): Promise<UsageRow[]>;
  /** Tenants of the registry, without the planes. */
  tenants(): readonly TenantEntry[];
  /** What of a tenant works less than it should, oldest first. */
  degraded(tenant: string): readonly DegradedEntry[];
  /** Backup, restore, export, move, deletion and repair of tenants. */
  readonly copies: Pick<TenantCopies, 'backup' | 'restore' | 'export' | 'move' | 'delete' | 'repair'>;
  /** Backups of the whole node. */
  readonly backups: Pick<NodeBackups, 'now' | 'list' | 'status' | 'verify'>;
  /** Copies of the shards of a node on a log. */
  readonly shardCopies: Pick<ShardCopies, 'now'>;
  /** Where places of a node on a log run that shares them with others. */
  readonly places: Pick<Supervisor, 'moveTo' | 'rebalance'>;
  /** Orders the certificate of a site now (ACME; an operator's verb). Throws where the node orders none. */
  renewCertificate(name: string): Promise<Renewed>;
  /** Ends such an order: a stop must not wait for an authority. */
  endOrders(): void;
  /** Erases the submissions of one person, by the address in the field that forms declare (an operator's verb). */
  eraseSubmissions(address: string): Promise<ErasedSubmissions>;
  /** Drills: what a crash of a thread would do. */
  readonly drill: Drills;
  /** SIGHUP: rotates logs and lifts suspensions; the doors read their certificates again, the vault its root keys and policies. */
  rotate(): Promise<void>;
  /**
   * Drains: accepted requests are answered, everything is made durable, then the directory is released. For `noticeMs` before, readiness says 503
   * while requests are still taken, so that a load balancer goes elsewhere before a connection is refused.
   */
  stop(noticeMs?: number): Promise<void>;
}

/** Starts a node on a checked platform. Throws with a clear message when the directory is taken or a port is in use. */
export async function startNode(platform: Platform, options: NodeOptions = {}): Promise<Node> {
  letYoungObjectsDieYoung();
  settleProcessWhenIdle();
  const log = threadLogger(platform, 'node');
  try {
    const { markId, unlock } = await takeDirectory(platform, log);
    return await startIn(platform, markId, unlock, log, options);
  } catch (error) {
    throw explainFull(error, platform.storage.dir);
  }
}

async function startIn(
  platform: Platform,
  markId: string | null,
  unlock: () => void,
  log: Log,
  options: NodeOptions,
): Promise<Node> {
  try {
    new Revisions(platform.storage.dir).clearLoading();
    const standby = new StandbyDoor(platform, log);
    const joined = await joinedLog(platform, log);
    return await start(await nodeParts(platform, markId, joined), { ...options, standby }, unlock);
  } catch (error) {
    unlock();
    throw error;
  }
}

/** Null on a node whose journal lies in files, which loads no client of databases. */
async function joinedLog(platform: Platform, log: Log): Promise<JoinedLog | null> {
  if (!hasLog(platform)) return null;
  const { joinLog } = await import('./cluster/join-log.ts');
  return joinLog(platform, log);
}

interface StartOptions extends NodeOptions {
  /** Open while the node stood by. */
  readonly standby: StandbyDoor;
}

async function start(parts: NodeParts, options: StartOptions, unlock: () => void): Promise<Node> {
  const { carrying, cluster, degraded, floor, issuer, link, live, rooms, supervisor } = parts;
  try {
    if (options.doors !== false) await link?.open();
    const recent = cluster === null ? [] : await comeToServe(cluster, parts, options);
    await live.standing?.end();
    await carrying?.ends('this node serves');
    if (live.platform.cluster.reads !== 'local') cluster?.report(degraded);
    if (referencesOf(live.platform).length > 0)
      live.platform = await withVaultSecrets(live.platform, await rooms.vault.startAhead());
    await startThreads(parts, options, recent);
    await options.standby.close();
    if (options.doors !== false) await open(parts, options);
    if (options.onHandOver !== undefined) cluster?.whenToldToHandOver(options.onHandOver);
    return running(parts, unlock);
  } catch (error) {
    await issuer?.stop();
    await options.standby.close();
    await live.standing?.end();
    await (live.doors ?? live.doorsAhead)?.close();
    await endMirror(parts);
    await live.certificates?.stop();
    await carrying?.ends('this node could not be started');
    await link?.close();
    await supervisor.abort();
    await cluster?.leave();
    await floor.stop();
    throw error;
  }
}

/** Waits while another node serves the log. The threads are started meanwhile, and opened behind it. Gives the tenants that were written last. */
async function comeToServe(
  cluster: ClusterNode,
  parts: NodeParts,
  { alone, doors, onDoors, onStandby, standby }: StartOptions,
): Promise<readonly number[]> {
  const { takePlace } = await import('./cluster/join-log.ts');
  const { carrying, floor, link, live, log, supervisor } = parts;
  const { platform } = live;
  // Where secrets lie in the node's own vault, the other threads are given them when they start.
  const names = referencesOf(platform).length > 0 ? (['vault-keeper'] as const) : null;
  let parking: NodeJS.Timeout | undefined;
  const waits = (serving: string): void => {
    parking ??= setTimeout(() => supervisor.park(names), limits.cluster.parkAfterMs);
    onStandby?.(serving);
  };
  const [isReady, counted] = [() => supervisor.isParked, () => live.doors?.families() ?? []];
  const waiting = standby.with({ isReady, link, doors: counted, closed: () => live.standing?.closed ?? null });
  const shown = doors === false ? null : withDoors(waiting, parts, alone);
  onDoors?.((noticeMs) => closeStanding(parts, noticeMs));
  try {
    const { time, recent } = await takePlace(cluster, {
      platform,
      log,
      standby: shown,
      onStandby: waits,
      onNext: () => {
        settleLater();
        supervisor.soon();
      },
      ...(carrying !== null && { onCarrying: (may) => carrying.waits(may) }),
    });
    floor.know(time);
    return recent;
  } finally {
    clearTimeout(parking);
  }
}

/** Starts the threads and tells them the tenants and their keys. `recent`: tenants that are woken ahead. */
async function startThreads(parts: NodeParts, options: NodeOptions, recent: readonly number[]): Promise<void> {
  const { issuer, live, log, mark, rooms, supervisor, tenants, usageKeeper } = parts;
  await supervisor.start(recent);
  await mark?.start();
  await rooms.vault.recall();
  if (live.platform.service === null) {
    await rooms.hosts.share([CONTROL_ENTRY], []);
    await tenants.ringFromTheStart(log);
    if (options.doors !== false) await usageKeeper.start();
  }
  if (issuer !== null && options.doors !== false) await firstLook(issuer);
}

/** Opens the doors, then starts the parts that only a node with doors needs. */
async function open(parts: NodeParts, options: NodeOptions): Promise<void> {
  const { disk, link, live, supervisor, watchdog } = parts;
  const { platform } = live;
  loadLogger(platform.log.level);
  live.certificates = options.alone === undefined ? await certificatesOf(parts) : null;
  live.doors ??= live.doorsAhead ?? (await openNodeDoors(parts, options.alone));
  live.doors.know(platform);
  link?.serves(live.doors);
  await live.doors.complete();
  watchdog.start(live.doors.gate);
  parts.figures.start();
  await disk.start();
  await live.certificates?.start();
  setTimeout(() => supervisor.warmSpare(), limits.host.spareAfterMs).unref();
  parts.carrying?.share(supervisor);
}

/** The started node as its users see it. */
function running(parts: NodeParts, unlock: () => void): Node {
  const { backups, degraded, directory, events, live, rooms, supervisor, tenants } = parts;
  const { platform } = live;
  const copies = copiesOf(parts);
  const stopSweep = tidyUp(parts, copies);
  events.platform('platform.node.start', platform.audit.name, {
    version: skepVersion(),
    hosts: platform.hosts,
    config: digest(platform),
  });
  if (parts.cluster !== null) {
    const { node, before, cause } = parts.cluster.own;
    events.platform('platform.log.take', node, { before, why: cause });
  }
  return {
    listeners: live.doors?.urls ?? {},
    tenants: () => directory.all().filter((tenant) => tenant.localdir !== null),
    degraded: (tenant) => degraded.list(tenant),
    provision: async (key, provision) => {
      const answer = await tenants.provision(key, provision);
      if (!answer.ok) throw new Error(answer.message);
      return answer.value;
    },
    setQuota: async (wish) => {
      const entry = await tenants.setQuota(wish);
      await parts.usageKeeper.flush();
      return entry;
    },
    usage: (wish) => parts.usageKeeper.read(wish),
    stand: (wish) => tenants.stand(wish),
    bootstrap: (wish, told = () => undefined) => bootstrapData(platform, tenants, wish, told),
    consoleLink: (people) => live.doors?.consoleLink(people) ?? null,
    rotateRing: async () => {
      const rotated = await tenants.rotateRing();
      events.platform('platform.ring.rotate', '', {});
      return rotated;
    },
    admin: async (request) => adminAnswerOf(await tenants.admin(request.tenant, relayedCallOf(request))),
    ask: async (key, service, verb, body) => tenants.ask(key, service, verb, body),
    copies,
    backups,
    shardCopies: parts.shardCopies,
    places: supervisor,
    renewCertificate: (name) => renewCertificate(live.certificates, name),
    endOrders: () => live.certificates?.endOrders(),
    eraseSubmissions: (mail) => eraseSubmissions({ ...parts, intake: rooms.intake }, mail),
    drill: supervisor.drills,
    rotate: async () => {
      parts.watchdog.lift();
      parts.link?.renew();
      await Promise.all([rooms.intake.rotate(), rooms.vault.reload(), live.doors?.renew()]);
      events.platform('platform.logs.rotate', '', {});
    },
    stop: (noticeMs = 0) => stop(parts, stopSweep, unlock, noticeMs),
  };
}

function copiesOf({ directory, events, live, log, relays, rooms, tenants }: NodeParts): TenantCopies {
  return new TenantCopies({
    tenants,
    hosts: rooms.hosts,
    directory,
    log,
    clock: systemClock,
    dataDir: live.platform.storage.dir,
    recall: () => relays.recall(),
    told: (action, key, data) => events.platform(action, key, data),
  });
}

/** On a whole node with doors: resumes copies that the last stop interrupted, and sweeps revisions until the returned function is called. */
function tidyUp({ backups, live, log, rooms, shardCopies }: NodeParts, copies: TenantCopies): () => void {
  const { doors, platform } = live;
  if (doors === null || platform.service !== null) return () => undefined;
  void copies
    .resume()
    .catch((error: unknown) =>
      log.error(
        { err: error },
        'the moves and deletions that the last stop interrupted could not be looked up: the next start tries again',
      ),
    );
  void backups
    .start()
    .catch((error: unknown) =>
      log.error({ err: error }, 'backups of the node were not begun: make the place well, and start the node again'),
    );
  shardCopies.start();
  return sweepRevisions({ dataDir: platform.storage.dir, hosts: rooms.hosts, clock: systemClock, log });
}

async function endCourier(relays: NodeParts['relays'], supervisor: NodeParts['supervisor']): Promise<void> {
  relays.stop();
  await supervisor.stopAhead('courier');
}

/** As soon as nothing more is written: another node takes the place while this one brings its own stores up and ends its threads. Those that other nodes carry end before. */
async function giveUpPlace(cluster: ClusterNode, { log, rooms, supervisor }: NodeParts): Promise<void> {
  const tell = (error: unknown): void =>
    log.error({ err: error }, 'a thread did not make everything durable: what was answered is');
  await Promise.all([rooms.hosts.seal().catch(tell), rooms.intake.seal().catch(tell)]);
  await supervisor.endCarried();
  await cluster.leave();
}

async function stop(parts: NodeParts, stopSweep: () => void, unlock: () => void, noticeMs: number): Promise<void> {
  const { backups, cluster, disk, events, floor, issuer, live, mark } = parts;
  const { relays, rooms, supervisor, tenants, watchdog } = parts;
  settleLater();
  live.doors?.retire();
  if (live.doors !== null) await rooms.intake.retire();
  if (noticeMs > 0) await passed(noticeMs);
  watchdog.stop();
  parts.figures.stop();
  disk.stop();
  stopSweep();
  backups.stop();
  await parts.shardCopies.stop();
  await supervisor.stayPut();
  tenants.stop();
  await live.certificates?.stop();
  // What it has on its way may take long: callers are served meanwhile, and it says to the outboxes what was sent while they can be written.
  if (cluster !== null) await endCourier(relays, supervisor);
  void rooms.hosts.retire(); // the doors wait for what it ends
  await Promise.all([live.doors?.close(), parts.link?.retire()]);
  await parts.usageKeeper.stop();
  await issuer?.stop();
  events.platform('platform.node.stop', live.platform.audit.name, {});
  relays.stop();
  if (cluster !== null) await giveUpPlace(cluster, parts);
  await parts.link?.close();
  if (cluster !== null && live.doors !== null) await passed(limits.cluster.giveWayMs);
  await supervisor.stop();
  await mark?.stop();
  await floor.stop();
  unlock();
}

/** A hash of the configuration for the audit log. Secrets are left out, so that they cannot be guessed by trying values against the hash. */
function digest(platform: Platform): string {
  return hash('sha256', JSON.stringify(redacted(platform)), 'hex');
}
