/** State shared by the verbs of the vault. One per keeper thread; nothing of it crosses to another thread. */
import type { Call } from '#actors/host/call.ts';
import type { Log } from '#actors/host/activation.ts';
import { limits } from '#config/limits.ts';
import { OneForMany } from '#actors/kit/one-for-many.ts';
import { PEER_CERTIFICATE } from '#actors/protocol/frame.ts';
import type { Clock } from '#actors/kit/clock.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import type { Barrier } from './seal/barrier.ts';
import { certified, type Caller, type Callers, type Role } from './caller/caller.ts';
import { eventOf, type Events, type VaultEvent } from './event/events.ts';
import type { HighWater } from './seal/high-water.ts';
import type { Capability, Policies } from './caller/policy.ts';
import type { VaultMeter } from './meter.ts';
import { refuse } from './refusals.ts';
import type { Seal } from './seal/seal.ts';
import { NODE_SCOPE } from './caller/scope.ts';
import type { Secrets } from './secret/secrets.ts';
import type { VaultSettings } from './settings.ts';
import { isLocalName, isLocalOrigin } from './caller/stranger.ts';
import type { Shares } from './seal/shares.ts';
import type { VaultStore } from './store.ts';

export interface KeeperParts {
  readonly settings: VaultSettings;
  readonly store: VaultStore;
  readonly seal: Seal;
  readonly shares: Shares;
  readonly barrier: Barrier;
  readonly secrets: Secrets;
  readonly callers: Callers;
  readonly events: Events;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: VaultMeter;
  readonly version: string;
  random(bytes: number): Buffer;
  readonly highWater: HighWater;
}

/** The place of the audit logs' signing keys, unless a template names another. */
export const AUDIT_KEYS = `secret/${NODE_SCOPE}/audit/`;

/** The caller of a development vault without TLS: on loopback only (config/resolve-vault.ts). */
const DEVELOPER = 'operator/developer';

export class Keeper {
  readonly parts: KeeperParts;
  policies: Policies;
  readonly #strangers = new OneForMany(limits.vault.strangerEventMs);
  /** From now on `/ready` answers 503. */
  draining = false;
  /** Further readiness checks, by name; each gives the reason why the vault is not ready, or null. */
  readonly checks = new Map<string, () => string | null>();
  /** Runs when the vault has its root key: at the start, or when it is unsealed. */
  readonly onOpened: (() => Promise<void>)[] = [];

  constructor(parts: KeeperParts, policies: Policies) {
    this.parts = parts;
    this.policies = policies;
  }

  /** The principal of a caller's certificate; 401 without one that counts. */
  authenticate(call: Call): Principal | Refusal<'vault.unauthorized'> {
    return this.callerOf(call)?.principal ?? this.#developer(call) ?? this.#unknown(call);
  }

  /** The holder of the caller's certificate; null without one, and for a development vault's caller. */
  callerOf(call: Call): Caller | null {
    const { callers, clock } = this.parts;
    return callers.of(call.header(PEER_CERTIFICATE) ?? '', clock.now());
  }

  /**
   * Null when a policy allows the operation, else 403; either way an event records the decision. `path` is the path that policies are matched
   * against. `tenant` selects the log of the event, null the cluster's.
   */
  async allow(
    call: Call,
    capability: Capability,
    path: string,
    tenant: string | null = null,
  ): Promise<Refusal<'vault.forbidden'> | null> {
    const { subject, roles } = call.principal!;
    const role = roles[0] as Role;
    const name = subject.split('/').slice(4).join('/');
    const granted = this.policies.allows({ spiffeId: subject, role, name }, capability, path);
    const action = granted ? 'policy.grant' : 'policy.deny';
    await this.report(call, { action, target: path, outcome: granted ? 'ok' : 'denied', tenant, data: { capability } });
    if (granted) return null;
    const place = this.policies.reserves(path);
    const named =
      place === null ? '' : `: it holds signing keys of the node, and only a policy that names ${place} allows it`;
    return refuse('vault.forbidden', { message: `no policy allows ${capability} on ${path}${named}` });
  }

  /** Sends an event to the audit log; waits for the record where it is required. */
  async report(call: Call, event: Omit<VaultEvent, 'actor' | 'request_id'>): Promise<void> {
    this.parts.meter.count(event.action, event.outcome);
    const data = { ...this.parts.highWater.known, ...event.data };
    const placed = { ...event, data, tenant: event.tenant === NODE_SCOPE ? null : event.tenant };
    const recorded = this.parts.events.emit(eventOf(call, placed));
    // A remote audit service may be fetching the signing key of the very log that gets this event: the record cannot be written before this answer.
    if (event.target.startsWith(AUDIT_KEYS)) recorded?.catch(() => undefined);
    else await recorded;
  }

  /** An operator accepted a store that was restored from an older copy: this event records its lower revision. */
  tellAccepted(before: number, revision: number): void {
    const data = { verb: 'accept-rollback', before, revision };
    const event = {
      action: 'operator',
      actor: 'node',
      target: 'store',
      outcome: 'ok',
      tenant: null,
      request_id: '',
      ofStore: true,
    } as const;
    this.parts.events.emit({ ...event, data })?.catch(() => undefined); // dropped and counted already
  }

  /** Throws RolledBack while the store is older than its mark. */
  assertBelievable(): void {
    this.parts.highWater.assertNotRolledBack();
  }

  /** Runs an operation that commits: refused on a store that was rolled back; afterwards the new revision is remembered. */
  async write<W extends { readonly ok: boolean; readonly revision?: number }>(work: () => Promise<W>): Promise<W> {
    this.assertBelievable();
    const written = await work();
    if (written.revision !== undefined) this.parts.highWater.committed(written.revision);
    return written;
  }

  /** The root key is here now: runs everything that waited for it. */
  async opened(): Promise<void> {
    for (const then of this.onOpened) await then();
  }

  /** Refuses browser pages: a foreign name that resolves to loopback (DNS rebinding), and a request of another site's page. */
  #developer(call: Call): Principal | null {
    const { profile, tls, trustDomain } = this.parts.settings;
    if (profile !== 'development' || tls) return null;
    if (!isLocalName(call.header('host')) || !isLocalOrigin(call.header('origin'))) return null;
    return certified(`spiffe://${trustDomain}/${DEVELOPER}`, 'operator');
  }

  /** 401 with an event. One event stands for many refusals, so that strangers cannot fill the log. */
  #unknown(call: Call): Refusal<'vault.unauthorized'> {
    const event = this.#strangers.seen(this.parts.clock.now());
    if (event !== null) {
      this.parts.meter.count('policy.deny', 'denied');
      const data = { ...this.parts.highWater.known, why: 'no certificate that counts', since_last: event.since };
      const target = `${call.method} ${call.route.row.path}`;
      const denied = { action: 'policy.deny', actor: '', target, outcome: 'denied', tenant: null, data } as const;
      this.parts.events.emit({ ...denied, request_id: call.requestId })?.catch(() => undefined); // dropped and counted already
    }
    return refuse('vault.unauthorized');
  }
}
