/**
 * The relay of submissions from intake to the tenants of their forms (docs/contract/intake.md §3.6). Intake knows tenants by their keys alone, so this
 * finds their numbers and hosts, remembers for which keys submissions wait, and looks again whenever the directory changes: a tenant may have
 * been made, resumed or moved here.
 */
import { limits } from '#config/limits.ts';
import type { Log } from '#actors/host/activation.ts';
import type { Channel } from '#actors/protocol/channel.ts';
import type { SubmissionParcel, SubmissionsSettled } from '#actors/protocol/submission.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import { Relay, type RelayFigures } from './relay.ts';
import type { RelayKind } from './relay-kind.ts';

export interface SubmissionRelayPorts {
  readonly directory: {
    get(key: string): TenantEntry | undefined;
    byNo(tenantNo: number): TenantEntry | undefined;
  };
  /** The host of a shard, as it is now. */
  readonly hostOf: (shard: number) => Channel;
  readonly after: (ms: number, run: () => void) => void;
  readonly log: Log;
}

export class SubmissionRelay {
  readonly #ports: SubmissionRelayPorts;
  readonly #relay: Relay<SubmissionParcel, SubmissionsSettled>;
  /** Keys of tenants for which submissions wait. */
  readonly #waiting = new Set<string>();
  #writer: Channel | null = null;

  constructor(ports: SubmissionRelayPorts) {
    const { after, log } = ports;
    this.#ports = ports;
    this.#relay = new Relay(this.#kind(), {
      source: (tenantNo) => (ports.directory.byNo(tenantNo) === undefined ? null : this.#writer),
      mayLeave: (tenantNo) => takes(ports.directory.byNo(tenantNo)),
      after,
      log,
    });
  }

  figures(): RelayFigures {
    return this.#relay.figures();
  }

  /** The intake writer has started: a new one says again what waits. It is source and, as long as it runs, what there is to hand over for. */
  attachWriter(channel: Channel, gone: Promise<unknown>): void {
    this.#writer = channel;
    this.#relay.attachSource(channel);
    this.#relay.attachReceiver(channel, gone);
  }

  /** The directory has changed. */
  tenantsChanged(): void {
    for (const key of this.#waiting) this.#look(key);
  }

  /** Resolves when nothing is being handed over, or after `ms`. */
  quiet(ms: number): Promise<void> {
    return this.#relay.quiet(ms);
  }

  stop(): void {
    this.#relay.stop();
  }

  #look(key: string): void {
    const entry = this.#ports.directory.get(key);
    if (entry !== undefined) this.#relay.pending(entry.no);
  }

  #hear(tenants: readonly string[]): null {
    for (const key of tenants) {
      this.#waiting.add(key);
      this.#look(key);
    }
    const unknown = tenants.filter((key) => this.#ports.directory.get(key) === undefined);
    // At the start the directory may not be read yet.
    if (unknown.length > 0) this.#ports.after(limits.submissions.retryMs, () => this.#warn(unknown));
    return null;
  }

  #warn(keys: readonly string[]): void {
    for (const tenant of keys)
      if (this.#waiting.has(tenant) && this.#ports.directory.get(tenant) === undefined)
        this.#ports.log.warn(
          { tenant },
          'submissions wait for a tenant that this node does not have: correct `tenant` of their form, or provision it',
        );
  }

  #kind(): RelayKind<SubmissionParcel, SubmissionsSettled> {
    const { deliverMax: limit, retryMs, tenantsPassingMax: tenantsMax } = limits.submissions;
    return {
      name: 'submission',
      heldMax: Infinity,
      tenantsMax,
      retryMs,
      placeOf: ({ tenantNo }) => ({ tenantNo, id: '' }),
      hearPending: (writer) => writer.answer('submission.pending', ({ tenants }) => this.#hear(tenants)),
      take: async (writer, { tenantNo }) => {
        const { submissions, more } = await writer.ask('submission.take', { tenant: this.#keyOf(tenantNo), limit });
        return { parcels: submissions.length === 0 ? [] : [{ tenantNo, submissions }], more };
      },
      settle: (writer, settled) => this.#settle(writer, settled),
      delivery: { answers: 'at once', hand: (_receiver, parcel) => this.#hand(parcel) },
    };
  }

  /** The tenant's actor answers when they are durable in its store; one that takes none throws, and is asked again. */
  async #hand({ tenantNo, submissions }: SubmissionParcel): Promise<SubmissionsSettled> {
    const { directory, hostOf } = this.#ports;
    const entry = directory.byNo(tenantNo);
    if (!takes(entry)) throw new Error('the tenant takes nothing now');
    const body = { submissions };
    await hostOf(entry.shard).ask('actor.ask', { tenantNo, service: 'data', verb: 'submissions.take', body });
    return { tenantNo, ids: submissions.map(({ id }) => id) };
  }

  async #settle(writer: Channel, { tenantNo, ids }: SubmissionsSettled): Promise<null> {
    const tenant = this.#keyOf(tenantNo);
    const { waiting } = await writer.ask('submission.settle', { tenant, ids });
    if (waiting === 0) this.#waiting.delete(tenant);
    return null;
  }

  #keyOf(tenantNo: number): string {
    const entry = this.#ports.directory.byNo(tenantNo);
    if (entry === undefined) throw new Error('the tenant is gone');
    return entry.position.key;
  }
}

/** Whether a tenant takes submissions: it serves, and nothing keeps it from writing. */
function takes(entry: TenantEntry | undefined): entry is TenantEntry {
  return entry?.state === 'active' && entry.standing === undefined;
}
