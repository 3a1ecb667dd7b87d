/** The room of a tenant host: its archive, its outboxes of events, and turns of its tenants. What they read is held against the ledger. */
import { openArchive, type Archive } from '#storage/archive.ts';
import { StorageFull } from '#storage/fault.ts';
import type { Store, Turn } from '#storage/port.ts';
import { EventOutboxes } from '#actors/host/outbox/event-outboxes.ts';
import { timestamp } from '#actors/kit/clock.ts';
import type { NewAuditEvent } from '#actors/protocol/audit.ts';
import type { Channel } from '#actors/protocol/channel.ts';
import { positionOf } from '#actors/protocol/position.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import { assertSame, LAST_KEY, type Ledger, type Rows } from './ledger.ts';
import type { Settings } from './settings.ts';
import type { LivingTenants, TenantState } from './tenants/living.ts';

export const DATA_DIR = '/sim/data';
const SHARDS = [0, 1];
const FROM = 'row:';
const TO = 'row;';
const FREE_BYTES = 1e15;

export const positionOfTenant = (no: number) => positionOf('acme', 'shop', 'dev', `t${no}`)!;

/** What a turn does, in order. */
export type Step =
  | { readonly kind: 'get' | 'del'; readonly key: string }
  | { readonly kind: 'put'; readonly key: string; readonly value: string }
  | { readonly kind: 'scan'; readonly reverse: boolean };

export interface TurnWish {
  readonly tenant: number;
  readonly steps: readonly Step[];
  readonly events: readonly string[];
  readonly isAborted: boolean;
}

export interface HostPorts {
  readonly settings: Settings;
  readonly ledger: Ledger;
  readonly channel: Channel;
  /** Null where tenants have no services. */
  readonly living: typeof LivingTenants | null;
  readonly onFatal: (error: Error) => void;
}

export class SimulatedHost {
  readonly #ports: HostPorts;
  readonly archive: Archive;
  readonly #stores: Store[];
  readonly #events: EventOutboxes;
  readonly #living: LivingTenants | null;
  /** What tenants with services have, once it is closed. */
  tenants: readonly TenantState[] = [];

  constructor(ports: HostPorts, archive: Archive) {
    this.#ports = ports;
    this.archive = archive;
    const { channel, settings } = ports;
    this.#stores = Array.from({ length: settings.tenants }, (_, no) => archive.store(no % SHARDS.length, no));
    this.#events = new EventOutboxes({
      enabled: settings.rooms.has('audit'),
      entry: (no) => ({ no, position: positionOfTenant(no) }) as TenantEntry,
      store: ({ no }) => this.#stores[no]!,
      pending: (tenantNo) => channel.tell('audit.pending', { tenantNo }),
    });
    this.#living = settings.rooms.has('tenants') ? new ports.living!(archive, channel) : null;
    channel.answer('audit.take', ({ tenantNo }) => this.#events.take(tenantNo));
    channel.answer('audit.settle', (answer) => this.#events.settle(answer));
  }

  /** The rows of every tenant, as a new owner finds them. */
  found(): Rows[] {
    return this.#stores.map((store) => rowsOf(store));
  }

  /** Those with services; null where there are none. */
  get living(): LivingTenants | null {
    return this.#living;
  }

  /** Whether everything has left that had to. */
  get isQuiet(): boolean {
    return this.#events.waiting === 0 && (this.#living?.isQuiet ?? true);
  }

  /** Announces events that an earlier owner has left, and holds their numbers against the ledger. */
  resume(): void {
    for (const [no, events] of this.#ports.ledger.events.entries()) {
      const outbox = this.#events.of(no);
      outbox?.resume();
      if (outbox !== undefined && outbox.last !== events.length)
        throw new Error(`tenant ${no} has numbered ${outbox.last} events, and ${events.length} were committed`);
    }
    this.#living?.resume();
  }

  /** Takes a turn; `replied` is called when its reply may leave. */
  turn(wish: TurnWish, replied: () => void): void {
    const { ledger } = this.#ports;
    const store = this.#stores[wish.tenant]!;
    const turn = store.begin();
    const writes = new Map<string, string | null>();
    let awaited = 0;
    for (const step of wish.steps) awaited = Math.max(awaited, this.#take(turn, step, wish.tenant, writes));
    if (wish.isAborted || !this.#commit(turn, wish, writes)) turn.abort();
    const { newest } = turn;
    if (newest < awaited) throw new Error(`a turn that has read record ${awaited} waits for ${newest} alone`);
    store.whenDurable(newest, () => {
      ledger.acknowledged(newest);
      replied();
    });
  }

  /** One step; gives the record that the reply must wait for. */
  #take(turn: Turn, step: Step, tenant: number, writes: Map<string, string | null>): number {
    const { ledger } = this.#ports;
    if (step.kind === 'scan') {
      const wanted = new Map(ledger.rows(tenant));
      for (const [key, value] of writes) {
        if (value === null) wanted.delete(key);
        else wanted.set(key, value);
      }
      assertSame(tenant, wanted, rowsOf(turn, step.reverse));
      return Math.max(
        0,
        ...[...wanted.keys()].filter((key) => !writes.has(key)).map((key) => ledger.awaits(tenant, key)),
      );
    }
    const { key } = step;
    if (step.kind === 'get') {
      const wanted = writes.has(key) ? (writes.get(key) ?? undefined) : ledger.rows(tenant).get(key);
      const found = textOf(turn.get(key));
      if (found !== wanted)
        throw new Error(`tenant ${tenant} reads ${found?.slice(0, 24)} under ${key}, not ${wanted?.slice(0, 24)}`);
      return writes.has(key) ? 0 : ledger.awaits(tenant, key);
    }
    const value = step.kind === 'put' ? step.value : null;
    if (value === null) turn.del(key);
    else turn.put(key, Buffer.from(value));
    writes.set(key, value);
    return 0;
  }

  #commit(turn: Turn, { tenant, events }: TurnWish, writes: Map<string, string | null>): boolean {
    const { ledger } = this.#ports;
    if (writes.size === 0) return false;
    const last = String(ledger.commits + 1);
    turn.put(LAST_KEY, Buffer.from(last));
    const outbox = events.length === 0 ? undefined : this.#events.of(tenant);
    try {
      if (outbox === undefined) turn.commit();
      else outbox.commit(turn, events.map(eventOf));
    } catch (error) {
      if (error instanceof StorageFull) return false;
      throw error;
    }
    writes.set(LAST_KEY, last);
    ledger.committed({ number: turn.newest, tenant, writes, events: outbox === undefined ? [] : events });
    return true;
  }

  async close(): Promise<void> {
    if (this.#living !== null) this.tenants = await this.#living.close();
    await this.archive.close();
  }
}

/** Opens the archive as a host does. Journals that are called damaged have lost nothing here: nothing is changed behind the node's back. */
export async function openHost(ports: HostPorts, epoch: number, replay: readonly string[]): Promise<SimulatedHost> {
  const { segmentBytes, putsMax, keeps } = ports.settings;
  const archive = await openArchive({
    dataDir: DATA_DIR,
    shards: SHARDS,
    epoch,
    name: 'host-0',
    replay,
    onFatal: ports.onFatal,
    keeps,
    freeBytes: () => FREE_BYTES,
    limits: { segmentBytes, commitPutsMax: putsMax, overlayEntriesMax: 100, freeBytesMin: 1 },
  });
  const { harmless, stopped } = archive.stats();
  const damage = harmless[0] ?? [...stopped.values()][0];
  if (damage !== undefined) throw new Error(`a journal is taken for damaged: ${damage.what}`);
  return new SimulatedHost(ports, archive);
}

function rowsOf(reader: Pick<Store, 'begin'> | Turn, reverse = false): Rows {
  const rows: Rows = new Map();
  const turn = 'begin' in reader ? reader.begin() : reader;
  for (const { key, value } of turn.range(FROM, TO, reverse)) rows.set(key, textOf(value)!);
  if ('begin' in reader) turn.abort();
  return rows;
}

const textOf = (value: Uint8Array | undefined): string | undefined =>
  value === undefined ? undefined : Buffer.from(value).toString();

const eventOf = (target: string): NewAuditEvent => ({
  ts: timestamp(Date.now()),
  actor: 'ada',
  action: 'test.row',
  target,
  outcome: 'ok',
  request_id: '',
  data: {},
});
