/** The node's relays, and the threads between which each of them passes parcels. */
import { limits } from '#config/limits.ts';
import type { Log } from '#actors/host/activation.ts';
import type { Channel } from '#actors/protocol/channel.ts';
import type { MailSettled } from '#actors/protocol/mail.ts';
import type { DeliverySettled } from '#actors/protocol/webhook.ts';
import type { ThreadName } from '#actors/protocol/topic.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import type { MetricFamily } from '#runtime/observe/exposition.ts';
import { AUDIT, HOOK, MAIL, noticeKind } from './kinds.ts';
import { Relay } from './relay.ts';
import { relayFamilies } from './relay-families.ts';
import { SubmissionRelay } from './submissions.ts';

export interface RelaysPorts {
  /** `notify.queue_depth` of the platform file. */
  readonly noticeDepth: number;
  readonly directory: {
    get(key: string): TenantEntry | undefined;
    byNo(tenantNo: number): TenantEntry | undefined;
    /** Whether there is such a tenant, and no deletion of it has begun. */
    isThere(tenantNo: number): boolean;
    isSuspended(tenantNo: number): boolean;
  };
  /** The host of a shard, as it is now. */
  readonly hostOf: (shard: number) => Channel;
  /** How many more mails or webhooks its quotas let a tenant send; Infinity where none bounds it. */
  readonly left?: (tenant: TenantEntry, kind: 'mails' | 'webhooks') => number;
  /** Called when a mail or webhook of a tenant was taken by its receiver. */
  readonly sent?: (tenant: string, kind: 'mails' | 'webhooks') => void;
  readonly after: (ms: number, run: () => void) => void;
  readonly log: Log;
}

/** A thread that runs, and main's end of its channel. */
interface RunningThread {
  readonly row: { readonly name: ThreadName };
  readonly channel: Channel;
  readonly gone: Promise<unknown>;
}

export class Relays {
  readonly #mail;
  readonly #hooks;
  readonly #notices;
  readonly #audit;
  readonly #submissions;
  #writer: Channel | null = null;

  constructor({ noticeDepth, directory, hostOf, left, sent, after, log }: RelaysPorts) {
    const of = (tenantNo: number): Channel | null => {
      const entry = directory.byNo(tenantNo);
      return entry === undefined ? null : hostOf(entry.shard);
    };
    const ofLiving = (tenantNo: number): Channel | null => (directory.isThere(tenantNo) ? of(tenantNo) : null);
    // An answer for what a suspended tenant has sent still reaches its outbox, or the parcel would leave twice.
    const mayLeave = (tenantNo: number): boolean => !directory.isSuspended(tenantNo);
    const leftOf =
      (kind: 'mails' | 'webhooks') =>
      (tenantNo: number): number => {
        const entry = directory.byNo(tenantNo);
        return entry === undefined ? Infinity : (left?.(entry, kind) ?? Infinity);
      };
    const answered =
      (kind: 'mails' | 'webhooks') =>
      ({ tenantNo, outcome }: MailSettled | DeliverySettled): void => {
        const key = directory.byNo(tenantNo)?.position.key;
        if (outcome === 'sent' && key !== undefined) sent?.(key, kind);
      };
    const ports = (kind: 'mails' | 'webhooks') => ({
      source: ofLiving,
      mayLeave,
      left: leftOf(kind),
      answered: answered(kind),
      after,
      log,
    });
    this.#mail = new Relay(MAIL, ports('mails'));
    this.#hooks = new Relay(HOOK, ports('webhooks'));
    // The courier's queue contains both kinds of notices, mail and chat.
    this.#notices = new Relay(noticeKind(2 * noticeDepth), { source: () => this.#writer, after, log });
    // The audit log outlives a tenant: a deletion waits until it has every event.
    this.#audit = new Relay(AUDIT, { source: of, after, log });
    this.#submissions = new SubmissionRelay({ directory, hostOf, after, log });
  }

  /** Joins a started thread to the relays of which it is a source or a receiver. */
  attach({ row, channel, gone }: RunningThread): void {
    if (row.name === 'tenant-host')
      for (const relay of [this.#mail, this.#hooks, this.#audit]) relay.attachSource(channel);
    if (row.name === 'intake-writer') {
      this.#writer = channel;
      this.#notices.attachSource(channel);
      this.#submissions.attachWriter(channel, gone);
    }
    if (row.name === 'courier')
      for (const relay of [this.#mail, this.#hooks, this.#notices]) relay.attachReceiver(channel, gone);
    if (row.name === 'audit-sealer') this.#audit.attachReceiver(channel, gone);
  }

  /** What each kind of parcel has on its way, for a scrape. */
  families(): MetricFamily[] {
    return relayFamilies({
      mail: this.#mail.figures(),
      webhook: this.#hooks.figures(),
      notice: this.#notices.figures(),
      audit: this.#audit.figures(),
      submission: this.#submissions.figures(),
    });
  }

  /** The directory has changed, so tenants may be gone, or suspended. */
  tenantsChanged(): void {
    this.#mail.tenantsChanged();
    this.#hooks.tenantsChanged();
    this.#submissions.tenantsChanged();
  }

  /** Resolves when no parcel of tenants that are gone can leave any more. */
  async recall(): Promise<void> {
    await Promise.all([this.#mail.recall(), this.#hooks.recall()]);
  }

  /** Resolves when no submission is on its way from intake to a tenant, or after a while. */
  submissionsQuiet(): Promise<void> {
    return this.#submissions.quiet(limits.submissions.quietMs);
  }

  /** The node stops. */
  stop(): void {
    for (const relay of [this.#mail, this.#hooks, this.#notices, this.#audit, this.#submissions]) relay.stop();
  }

  /** A thread is about to drain: the courier sends what it has, so notices that are on their way have to reach it first. */
  async draining(name: ThreadName): Promise<void> {
    if (name === 'courier') await this.#notices.quiet(limits.mail.drainMs);
  }
}
