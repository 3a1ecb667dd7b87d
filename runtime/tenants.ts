/** The tenants of a node as main sees them: it keeps the control plane's registry, the door's directory and the hosts in agreement. */
import { existsSync } from 'node:fs';
import { limits } from '#config/limits.ts';
import type { ControlRead } from '#actors/identity/registry.ts';
import type { QuotaWish } from '#actors/identity/tenant-quota.ts';
import type { StandingWish } from '#actors/identity/tenant-standing.ts';
import type { Log } from '#actors/host/activation.ts';
import { Serial, SerialByKey } from '#actors/kit/serial.ts';
import type { Asker, DeployTarget, NodeAnswer, NodeRefusal, TenantView } from '#actors/protocol/node-verbs.ts';
import { operatorPlaneOf, parsePosition, type Position } from '#actors/protocol/position.ts';
import type { RelayedAnswer, RelayedCall } from '#actors/protocol/relay.ts';
import { heldState } from '#actors/protocol/held-state.ts';
import type { BodyOf, TenantEntry } from '#actors/protocol/topics.ts';
import type { Directory } from '#runtime/door/directory.ts';
import { CONTROL_ENTRY } from './control-plane.ts';
import { fetchProduct } from './fetch-product.ts';
import { productSource, type SourcePlatform, type SourceWish } from './product-source.ts';
import { provisionTenant, type ProvisionOptions, type ProvisionReport } from './provision.ts';
import type { RingKeys } from './ring-keys.ts';
import type { TenantHostRoom } from './rooms/tenant-host-room.ts';
import { TenantNews } from './tenant-news.ts';

export interface TenantsPorts {
  readonly platform: SourcePlatform;
  readonly hosts: Pick<TenantHostRoom, 'ask' | 'awake' | 'change' | 'forget' | 'relay' | 'share' | 'shardCount'>;
  readonly directory: Pick<Directory, 'all' | 'byNo' | 'change' | 'forgetFirstRequest' | 'get' | 'replace'>;
  readonly ringKeys: Pick<RingKeys, 'forget' | 'make' | 'place' | 'withKeys'>;
  /** Called with what was done to a tenant, for the node's audit log. */
  /** `asker`: absent for what a command, or the node itself, does. */
  readonly told?: (action: string, key: string, data: Readonly<Record<string, unknown>>, asker?: Asker) => void;
  /** Called when a tenant's definitions have been applied: what was wrong with those before is over, though the tenant may sleep on. */
  readonly mended?: (key: string) => void;
}

type Source = { readonly ok: true; readonly localdir: string | null; readonly url: string | null } | NodeRefusal;

const refused = (why: NodeRefusal['why'], message: string): NodeRefusal => ({ ok: false, why, message });

const STANDING_ACTIONS = {
  suspended: 'platform.tenant.suspend',
  'read-only': 'platform.tenant.read_only',
  serving: 'platform.tenant.resume',
} as const;

export class Tenants {
  readonly #ports: TenantsPorts;
  /** Runs that change a tenant as a whole, one at a time for each tenant. */
  readonly #changes = new SerialByKey();
  readonly #news: TenantNews;
  readonly #fetches = new Serial();
  #ringTimer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(ports: TenantsPorts) {
    this.#ports = ports;
    const read = async (keys: readonly string[] | null) => (await this.control('control.read', keys)) as ControlRead;
    this.#news = new TenantNews({ ...ports, read });
  }

  /** Reads the whole control plane and shares it with door and hosts. */
  refresh(): Promise<void> {
    return this.#news.ofAll();
  }

  /** Reads one tenant's record and the ring, and shares them with door and hosts. */
  share(key: string): Promise<void> {
    return this.#news.of(key);
  }

  /** Makes the first signing key where there is none; the next telling shares it with the hosts. */
  async ensureRing(): Promise<void> {
    const { place } = this.#ports.ringKeys;
    const isThere = await this.control('ring.ensure', place === null ? null : { place, made: null });
    if (isThere === false) await this.control('ring.ensure', { place, made: await this.#ports.ringKeys.make() });
  }

  /**
   * Makes and shares the first signing key of a fresh node, before its first login. Where that fails, as with a sealed vault or a full
   * disk, it is tried again later.
   */
  async ringFromTheStart(log: Log): Promise<void> {
    await this.ensureRing().catch((error: unknown) => this.#ringLater(log, error));
    await this.refresh();
  }

  /** The node stops: ends the retries for a first signing key. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#ringTimer);
  }

  #ringLater(log: Log, error: unknown): void {
    if (this.#isStopped) return;
    const again_ms = limits.identity.ringRetryMs;
    log.warn(
      { error: (error as Error).message, again_ms },
      'no key can sign tokens yet: logins and exchanges are refused (mint_failed) until one is made and shared',
    );
    this.#ringTimer = setTimeout(() => void this.#ringAgain(log), again_ms).unref();
  }

  async #ringAgain(log: Log): Promise<void> {
    try {
      await this.ensureRing();
      await this.refresh();
    } catch (error) {
      this.#ringLater(log, error);
    }
  }

  /** Makes a new key with which every thread signs; removes keys whose last token has expired. */
  async rotateRing(): Promise<object> {
    const { ringKeys } = this.#ports;
    const rotated = (await this.control('ring.rotate', await ringKeys.make())) as { secrets: readonly string[] };
    await this.refresh();
    const { secrets, ...told } = rotated;
    await ringKeys.forget(secrets);
    return told;
  }

  /** Asks the control plane's identity. */
  control(verb: string, body: unknown): Promise<unknown> {
    return this.#ports.hosts.ask(CONTROL_ENTRY.shard, CONTROL_ENTRY.no, 'identity', verb, body);
  }

  /** Asks a registered tenant's actor. Throws when there is no such tenant. */
  ask(key: string, service: string, verb: string, body: unknown): Promise<unknown> {
    const entry = this.#ports.directory.get(key);
    if (entry === undefined) throw new Error(`no tenant ${key} in the registry; provision it first`);
    const held = heldState(entry.state);
    if (held !== null) throw new Error(`${key} ${held}`);
    return this.#ports.hosts.ask(entry.shard, entry.no, service, verb, body);
  }

  /** Asks an active tenant's identity; the answer is `unknown` for a tenant that is missing or not active. */
  async askActive(key: string, verb: string, body: unknown): Promise<NodeAnswer<unknown>> {
    const entry = this.#ports.directory.get(key);
    if (entry?.state !== 'active') return refused('unknown', `no active tenant ${key}`);
    return { ok: true, value: await this.ask(key, 'identity', verb, body) };
  }

  /** Relays a superadmin's request to an active tenant's admin plane; null where no active tenant has that key. */
  relay({ key, call }: BodyOf<'node.call'>): Promise<RelayedAnswer | null> {
    const entry = this.#ports.directory.get(key);
    if (entry?.state !== 'active') return Promise.resolve(null);
    return this.#ports.hosts.relay(entry.shard, entry.no, call);
  }

  /** Relays an operator's call to a registered tenant's admin plane, even before it is active. Throws when there is no such tenant. */
  admin(key: string, call: RelayedCall): Promise<RelayedAnswer> {
    const entry = this.#ports.directory.get(key);
    if (entry === undefined) throw new Error(`no tenant ${key} in the registry; provision it first`);
    return this.#ports.hosts.relay(entry.shard, entry.no, call);
  }

  /** Keys of the tenants that are awake, planes included. */
  async awake(): Promise<readonly string[]> {
    const { directory, hosts } = this.#ports;
    const byHost = await hosts.awake();
    return byHost.flat().flatMap((no) => directory.byNo(no)?.position.key ?? []);
  }

  /** The tenants below an operator plane, by name. */
  ofPlane(plane: string): DeployTarget[] {
    return this.#ports.directory
      .all()
      .flatMap(({ position, state, localdir }) =>
        localdir === null || operatorPlaneOf(position) !== plane ? [] : [{ tenant: position.tenant, state, localdir }],
      )
      .sort((a, b) => (a.tenant < b.tenant ? -1 : 1));
  }

  /** Writes the registry's record of a tenant when there is none. Idempotent. */
  async register(key: string, wish: SourceWish | null, asker?: Asker): Promise<NodeAnswer<TenantView>> {
    const source = this.#sourceOf(key, wish);
    if (!source.ok) return source;
    const { shardCount: shards } = this.#ports.hosts;
    await this.control('registry.register', { key, localdir: source.localdir, shards });
    await this.share(key);
    this.#ports.told?.('platform.tenant.register', key, { localdir: source.localdir }, asker);
    return { ok: true, value: await this.view(key) };
  }

  /**
   * Registers a configured tenant at its first request (docs/contract/identity-users.md §6). Faults of its product are reported when it is
   * provisioned; where the control plane does not answer now, the next request tries again.
   */
  registerConfigured(key: string): void {
    this.register(key, null).catch(() => this.#ports.directory.forgetFirstRequest(key));
  }

  /** Whether the registry or the platform file knows a tenant. */
  knows(key: string): boolean {
    const { directory, platform } = this.#ports;
    return directory.get(key) !== undefined || platform.hives.tenant.some((node) => node.key === key);
  }

  /** Provisions a registered or configured tenant, or a plane. Answers `unknown` or `source` where it cannot begin; throws SchemaFault. */
  async provision(key: string, options: ProvisionOptions = {}): Promise<NodeAnswer<ProvisionReport>> {
    const source = this.#sourceOf(key, null);
    if (!source.ok) return source;
    return this.inTurn(key, () => this.#provision(key, source, options));
  }

  /**
   * Sets how a tenant stands with its operators; null: it serves again. The registry has it durably before the door refuses, and door and
   * hosts act by it when this resolves. It waits for no backup, restore or move of the tenant.
   */
  async stand(wish: StandingWish): Promise<TenantEntry> {
    const { key, standing, reason } = wish;
    const entry = (await this.control('standing.set', wish)) as TenantEntry;
    await this.share(key);
    this.#ports.told?.(STANDING_ACTIONS[standing ?? 'serving'], key, reason === null ? {} : { reason });
    return entry;
  }

  /** Sets quotas of a tenant: durable, then known to the door, when this resolves. */
  async setQuota(wish: QuotaWish): Promise<TenantEntry> {
    const entry = (await this.control('quota.set', wish)) as TenantEntry;
    await this.share(wish.key);
    if (Object.keys(wish.set).length > 0) this.#ports.told?.('platform.tenant.quota', wish.key, wish.set);
    return entry;
  }

  /** Runs work that changes a tenant as a whole; such runs of one tenant follow one another. */
  inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
    return this.#changes.run(key, work);
  }

  /** The directory of a tenant's checkout, fetched first where it comes from a URL. Throws with a message for operators. */
  async checkoutOf(key: string): Promise<string | null> {
    const source = this.#sourceOf(key, null);
    if (!source.ok) throw new Error(`${key}: ${source.message}`);
    const { localdir, url } = source;
    const problem = url === null || existsSync(localdir!) ? null : await this.#fetch(url, localdir!);
    if (problem !== null) throw new Error(problem);
    return localdir;
  }

  async #provision(
    key: string,
    { localdir, url }: Exclude<Source, NodeRefusal>,
    options: ProvisionOptions,
  ): Promise<NodeAnswer<ProvisionReport>> {
    const { hosts, directory } = this.#ports;
    const held = heldState(directory.get(key)?.state ?? 'registered');
    if (held !== null) return refused('unknown', `${key} ${held}`);
    if (url !== null && localdir !== null) {
      options.told?.('fetching the product');
      const problem = await this.#fetch(url, localdir);
      if (problem !== null) return refused('source', problem);
    }
    const ports = { hosts, share: () => this.share(key), ensureRing: () => this.ensureRing() };
    const value = await provisionTenant(key, localdir, ports, options);
    this.#ports.mended?.(key);
    this.#ports.told?.('platform.tenant.provision', key, { localdir }, options.asker);
    return { ok: true, value };
  }

  /** Fetches a product; null, or a message for operators. Fetches run one after the other, since tenants share the directory of a URL. */
  #fetch(url: string, directory: string): Promise<string | null> {
    return this.#fetches.run(() =>
      fetchProduct(url, directory).then(
        () => null,
        (error: unknown) => (error as Error).message,
      ),
    );
  }

  /** The registry's record of a tenant. */
  async view(key: string): Promise<TenantView> {
    return (await this.control('registry.view', { key })) as TenantView;
  }

  #sourceOf(key: string, wish: SourceWish | null): Source {
    const position: Position | null = parsePosition(key);
    if (position === null) return refused('unknown', `${key} is no customer:product:env:tenant`);
    if (position.key === CONTROL_ENTRY.position.key) return refused('unknown', 'the control plane is always there');
    const { platform, directory } = this.#ports;
    const source = productSource(platform, position, directory.get(key), wish);
    return 'problem' in source
      ? refused('source', source.problem)
      : { ok: true, localdir: source.localdir, url: source.url ?? null };
  }
}
