/** Puts the vault keeper together: backend, seal, secrets, and their HTTP service behind the same host as the others. */
import { randomBytes } from 'node:crypto';
import type { MessagePort } from 'node:worker_threads';
import type { Platform } from '#config/platform.ts';
import type { Log } from '#actors/host/activation.ts';
import { Host } from '#actors/host/host.ts';
import type { Service } from '#actors/host/service.ts';
import { Barrier } from '#actors/vault/seal/barrier.ts';
import { Callers } from '#actors/vault/caller/caller.ts';
import { HighWater } from '#actors/vault/seal/high-water.ts';
import { forgetKey, reveal, revealTenant, signingKey } from '#actors/vault/internal.ts';
import { Keeper } from '#actors/vault/keeper.ts';
import type { PkiRoom } from '#actors/vault/pki-room.ts';
import { Emitter } from '#actors/vault/event/emitter.ts';
import type { Events } from '#actors/vault/event/events.ts';
import { logEvents } from '#actors/vault/event/log-events.ts';
import { Seal } from '#actors/vault/seal/seal.ts';
import { Secrets } from '#actors/vault/secret/secrets.ts';
import { vaultService } from '#actors/vault/service.ts';
import { Shares } from '#actors/vault/seal/shares.ts';
import { shownState } from '#actors/vault/shown-state.ts';
import { clockFloorKnown, systemClock, wallClock } from '#actors/kit/clock.ts';
import { Channel, Outbox } from '#actors/protocol/channel.ts';
import { REPLIES, type Flat } from '#actors/protocol/frame.ts';
import { atNumbers, compileRows, type FirstRoutes } from '#runtime/compile-rows.ts';
import { COLUMN } from '#runtime/observe/columns.ts';
import { Meter, histogramOf } from '#runtime/observe/meter.ts';
import { threadLogger } from '#runtime/observe/thread-logger.ts';
import { threadSpans } from './thread-spans.ts';
import { skepVersion } from '#runtime/version.ts';
import { openEventSpool } from './event-spool.ts';
import { fatalIn } from './fatal.ts';
import { openMarkFile } from './mark-file.ts';
import { forbidCoreDumps } from './no-core-dump.ts';
import { vaultAudit, type VaultAudit } from './vault-audit.ts';
import { checkClock, newestTime, probeSync } from './vault-guards.ts';
import { pkiOf } from './vault-pki.ts';
import { readPolicies, rootKey, vaultSettings } from './vault-settings.ts';
import { ROLLED_BACK, watchAuditMark } from './vault-mark.ts';
import { vaultMeter, watchVault } from './vault-meter.ts';
import { openVaultStore } from './vault-store.ts';
import { Pulse } from '#actors/host/pulse.ts';
import { keepBeat, type BeatingData } from './keep-beat.ts';

export interface VaultKeeperData extends BeatingData {
  readonly platform: Platform;
  readonly firstRoute: FirstRoutes;
  readonly metrics: SharedArrayBuffer;
}

/** Opens when main asks, then serves; requests that arrive earlier wait. */
export function runVaultKeeper(port: MessagePort, data: VaultKeeperData): void {
  const channel = new Channel(port, 'vault-keeper', 'main');
  keepBeat(channel, new Pulse(data.pulse));
  const early: Flat[] = [];
  channel.onBatch = (batch) => early.push(batch);
  channel.answer('vault.open', async () => {
    const opened = await open(channel, data);
    channel.answer('thread.copy', async ({ directory }) => ({
      copied: await opened.keeper.parts.store.copyTo(directory),
    }));
    channel.answer('vault.reload', () => opened.reload());
    channel.answer('vault.state', () => shownState(opened.keeper, opened.pki));
    channel.answer('vault.reveal', async ({ name }) => ({ value: await reveal(opened.keeper, name) }));
    channel.answer('vault.reveal-tenant', async ({ tenant, name }) => ({
      value: await revealTenant(opened.keeper, tenant, name),
    }));
    channel.answer('vault.sign-key', async ({ path, make }) => ({ key: await signingKey(opened.keeper, path, make) }));
    channel.answer('vault.recall', async () => {
      await opened.settled();
      return null;
    });
    channel.answer('vault.forget-key', ({ path }) => forgetKey(opened.keeper, path));
    channel.answer('thread.drain', () => opened.close());
    channel.onBatch = (batch) => opened.host.receive(batch);
    for (const batch of early) opened.host.receive(batch);
    return null;
  });
}

interface Opened {
  readonly host: Host;
  readonly keeper: Keeper;
  readonly pki: PkiRoom;
  settled(): Promise<void>;
  reload(): Promise<null>;
  close(): Promise<null>;
}

async function open(channel: Channel, { platform, firstRoute, metrics }: VaultKeeperData): Promise<Opened> {
  const { vault } = platform;
  const log = threadLogger(platform, 'vault');
  const onFatal = await fatalIn('vault-keeper');
  await forbidCoreDumps();
  probeSync(vault.state_dir);
  if (vault.profile === 'production')
    checkClock(wallClock.now(), Math.max(newestTime(vault.state_dir), clockFloorKnown()));
  const policies = await readPolicies(platform);
  const store = await openVaultStore(platform, onFatal);
  const mark = openMarkFile(vault.state_dir);
  const highWater = new HighWater([mark]);
  const callers = new Callers(vault.trust_domain);
  const hasKey = vault.seal.current.file !== undefined || vault.seal.current.env !== undefined;
  const seal = new Seal(store, hasKey || vault.seal.kind === 'shamir' ? 'sealed' : 'no-key');
  const meter = new Meter(metrics, COLUMN['vault-keeper']);
  meter.resetGauges();
  const parts = { store, seal, clock: systemClock, random: randomBytes };
  const audit = await vaultAudit(channel, platform);
  const { events, closeSpool } = eventsOf(audit, platform, log);
  const barrier = new Barrier(parts);
  const keeper = new Keeper(
    {
      ...parts,
      settings: vaultSettings(platform),
      shares: new Shares(parts),
      barrier,
      secrets: new Secrets({ ...parts, barrier }),
      callers,
      events,
      highWater,
      meter: vaultMeter(meter),
      log,
      version: skepVersion(),
    },
    policies,
  );
  const pki = pkiOf(keeper, platform);
  pki.trust();
  const outbox = new Outbox(channel, REPLIES, queueMicrotask);
  pki.room.responder.onForgotten = () => {
    outbox.flush(); // answers from before must not come behind the word
    channel.tell('vault.published', null);
  };
  const auditMark = watchAuditMark(audit, keeper, vault.accept_rollback);
  await begin(keeper, platform);
  const stopWatching = watchVault(keeper, meter);
  let reloading: Promise<null> = Promise.resolve(null);
  const reload = async (): Promise<null> => {
    keeper.policies = await readPolicies(platform);
    pki.trust();
    audit?.reload();
    await unsealByKey(keeper, platform);
    return null;
  };
  return {
    keeper,
    pki: pki.room,
    settled: () => auditMark.settled(),
    host: hostOf({ platform, firstRoute }, { channel, outbox }, vaultService(keeper, pki.room), meter),
    reload: () => (reloading = reload()),
    close: async () => {
      keeper.draining = true;
      await reloading.catch(() => undefined); // a reload may be wrapping tenant keys with a new root key: it has to end first
      pki.close();
      stopWatching();
      barrier.forget();
      if (seal.state === 'open') seal.seal();
      await store.close();
      closeSpool();
      audit?.close();
      mark.close();
      return null;
    },
  };
}

/** Events go to the audit service, or without one to log lines. */
function eventsOf(audit: VaultAudit | null, { vault }: Platform, log: Log): { events: Events; closeSpool: () => void } {
  if (audit === null) return { events: logEvents(log), closeSpool: () => undefined };
  const spool = openEventSpool(vault.state_dir);
  const events = new Emitter({
    sink: audit.sink,
    spool,
    clock: systemClock,
    log,
    place: vault,
    source: `vault/${vault.sid}`,
    required: vault.audit.required,
    after: (ms, run) => void setTimeout(run, ms).unref(),
  });
  return { events, closeSpool: () => spool.close() };
}

/** Unseals the vault as soon as its backend answers. A silent backend does not refuse the start; `/ready` reports it. */
async function begin(keeper: Keeper, platform: Platform): Promise<void> {
  const health = await keeper.parts.store.healthy();
  if (!health.ok) {
    keeper.parts.log.warn({ why: health.why }, 'the backend does not answer yet; the vault opens when it does');
    setTimeout(() => {
      begin(keeper, platform).catch((error: unknown) =>
        keeper.parts.log.error(
          { err: error },
          'the vault cannot be opened although its backend answers: mend the cause and restart the node',
        ),
      );
    }, BACKEND_RETRY_MS).unref();
    return;
  }
  const before = await keeper.parts.highWater.check(health.revision, platform.vault.accept_rollback);
  if (platform.vault.accept_rollback) keeper.tellAccepted(before, health.revision);
  if (keeper.parts.highWater.why !== null) keeper.parts.log.error({ why: keeper.parts.highWater.why }, ROLLED_BACK);
  await unsealByKey(keeper, platform);
}

const BACKEND_RETRY_MS = 1000;

/** Unseals with the root key of the configuration, where it names one; tenant keys that the previous one wraps are wrapped with it. */
async function unsealByKey(keeper: Keeper, { vault }: Platform): Promise<void> {
  const current = rootKey(vault, 'current');
  if (current === null) {
    if (keeper.parts.seal.state === 'no-key') await keeper.opened();
    return;
  }
  const { barrier, log, seal } = keeper.parts;
  const isNew = await seal.unseal(current, rootKey(vault, 'previous')).catch((error: unknown) => {
    current.fill(0);
    throw error;
  });
  barrier.forget();
  if (isNew) log.info({ term: seal.current }, 'a new root key is in use');
  const moved = await barrier.rewrap();
  if (moved > 0) log.info({ moved, term: seal.current }, 'tenant keys were wrapped again with the current root key');
  await keeper.opened();
}

interface Wire {
  readonly channel: Channel;
  readonly outbox: Outbox;
}

type Settings = Pick<VaultKeeperData, 'platform' | 'firstRoute'>;

function hostOf({ platform, firstRoute }: Settings, { channel, outbox }: Wire, service: Service, meter: Meter): Host {
  return new Host({
    log: threadLogger(platform, 'vault'),
    routes: atNumbers(compileRows(platform, service.name, service.routes, firstRoute[service.name]!)),
    services: new Map([[service.name, service]]),
    planeNo: null,
    wake: () => Promise.reject(new Error('the vault knows no tenant')),
    send: (no, status, headers, body) => outbox.batch.push(no, status, headers, body),
    later: setImmediate,
    monotonic: () => performance.now(),
    spans: threadSpans(platform, (batch) => channel.tell('node.spans', batch)),
    observeTurn: (service, ms) => meter.observe(histogramOf('turnSeconds', service), ms / 1000),
  });
}
