/** A tenant host's thread: the real host over the archive. As runtime/threads/tenant-host.ts puts it together. */
import { openArchive, type Archive } from '#storage/archive.ts';
import type { Activation, Context } from '#actors/host/activation.ts';
import { Exclusive } from '#actors/host/exclusive.ts';
import { Host } from '#actors/host/host.ts';
import { Pulse } from '#actors/host/pulse.ts';
import { systemClock } from '#actors/kit/clock.ts';
import { IdSource } from '#actors/kit/id.ts';
import { ringOf } from '#actors/kit/token/ring.ts';
import { Channel, Outbox, type Port } from '#actors/protocol/channel.ts';
import { REPLIES } from '#actors/protocol/frame.ts';
import type { HostOpen, ReplyOf, TenantEntry } from '#actors/protocol/topics.ts';
import { keepBeat } from '#runtime/threads/keep-beat.ts';
import { randomBytes } from '#test/simulation/instead/crypto.ts';
import type { Machine } from '#test/simulation/machine/machine.ts';
import type { Room } from '#test/simulation/machine/room.ts';
import type { Company } from './company.ts';
import { isOfCaller, ordersService, ROUTES } from './service.ts';
import { DATA_DIR } from './settings.ts';

const FREE_BYTES = 1e15;
const PRODUCT = { name: 'shop', settings: {}, entities: {} } as unknown as Activation['product'];
const quiet = (): void => undefined;

export interface HostRoomPorts {
  readonly machine: Machine;
  readonly room: Room;
  readonly pulse: Int32Array;
  readonly segmentBytes: number;
  readonly company: Company | null;
}

/** What it works on is seen until the turn in which it stands still is over. */
class StillPulse extends Pulse {
  readonly #ports: HostRoomPorts;

  constructor(ports: HostRoomPorts) {
    super(ports.pulse);
    this.#ports = ports;
  }

  override call(...what: Parameters<Pulse['call']>): void {
    if (!this.#isStill) super.call(...what);
  }

  override rest(): void {
    if (!this.#isStill) super.rest();
  }

  /** The twin of a thread runs its turn to its end and stands still behind it; a thread would have begun nothing else. */
  get #isStill(): boolean {
    return this.#ports.room.stillUntilMs > this.#ports.machine.world.nowMs;
  }
}

export class HostRoom {
  readonly #ports: HostRoomPorts;
  readonly #channel: Channel;
  readonly #context: Context;
  #tenants: readonly TenantEntry[] = [];
  #archive: Archive | null = null;
  /** What has to be closed: the archive, with what else works on it. */
  #closing: { close(): Promise<void> } | null = null;
  #host: Host | null = null;

  constructor(port: Port, ports: HostRoomPorts) {
    this.#ports = ports;
    this.#context = {
      clock: systemClock,
      ids: new IdSource(systemClock),
      log: { info: quiet, warn: quiet, error: (fields) => this.#logged(fields) },
      random: randomBytes,
      ring: ringOf([]),
    };
    const channel = (this.#channel = new Channel(port, 'tenant-host', 'main'));
    const pulse = new StillPulse(ports);
    keepBeat(channel, pulse);
    channel.answer('host.open', (body) => this.#open(body, pulse));
    channel.answer('host.tenants', (tenants) => this.#know(tenants));
    for (const topic of ['host.ring', 'host.trust'] as const) channel.answer(topic, () => null);
    channel.answer('thread.drain', () => this.#drain());
  }

  #know(tenants: readonly TenantEntry[]): null {
    this.#tenants = tenants;
    return null;
  }

  async #open(body: HostOpen, pulse: Pulse): Promise<ReplyOf<'host.open'>> {
    this.#know(body.tenants);
    const { machine, room, company, segmentBytes } = this.#ports;
    const { world } = machine;
    this.#archive = await openSimulatedArchive({ segmentBytes, onFatal: (error) => machine.giveUp(error) }, body);
    this.#closing = company?.opened(room, this.#archive, this.#channel) ?? this.#archive;
    const after = (ms: number, run: () => void): void => void setTimeout(run, ms);
    // Of two in one turn the longer one counts, as it would on a thread.
    const hold = (ms: number): void => void (room.stillUntilMs = Math.max(room.stillUntilMs, world.nowMs + ms));
    const service = ordersService({ after, hold, fault: (error) => world.fail(error) });
    const outbox = new Outbox(this.#channel, REPLIES, queueMicrotask);
    const host = (this.#host = new Host({
      log: this.#context.log,
      routes: ROUTES,
      services: new Map([[service.name, service]]),
      planeNo: null,
      wake: (tenantNo) => this.#wake(tenantNo),
      send: (no, status, headers, answer) => void outbox.batch.push(no, status, headers, answer),
      stream: (no, part, payload) => outbox.stream(no, part, payload),
      later: setImmediate,
      after,
      monotonic: () => performance.now(),
      pulse,
    }));
    this.#channel.onBatch = (batch) => host.receive(batch);
    return { openMs: 0, stopped: [] };
  }

  async #wake(tenantNo: number): Promise<Activation> {
    const { position, shard } = this.#tenants.find(({ no }) => no === tenantNo)!;
    const store = this.#archive!.store(shard, tenantNo);
    await new Promise<void>((resolve) => void setTimeout(resolve, this.#ports.machine.world.latencyMs()));
    return { position, tenantNo, context: this.#context, product: PRODUCT, store, exclusive: new Exclusive() };
  }

  async #drain(): Promise<null> {
    const host = this.#host;
    if (host === null) return null;
    const { inFlight, waiting } = host;
    if (inFlight + waiting > 0) throw new Error(`a host has ${inFlight} calls in flight and ${waiting} that wait`);
    await host.close();
    await this.#closing!.close();
    return null;
  }

  #logged(fields: object): void {
    const { err } = fields as { err?: unknown };
    const { machine } = this.#ports;
    if (err !== undefined && !isOfCaller(err) && !machine.hasFault) machine.world.fail(err as Error);
  }
}

/** Opens an archive as a host does. A journal that is called damaged is a fault: nothing is changed behind the node's back. */
export async function openSimulatedArchive(
  { segmentBytes, onFatal }: { readonly segmentBytes: number; readonly onFatal: (error: Error) => void },
  { host, epoch, shards, replay }: Pick<HostOpen, 'host' | 'epoch' | 'shards' | 'replay'>,
): Promise<Archive> {
  const archive = await openArchive({
    dataDir: DATA_DIR,
    shards,
    epoch,
    name: `host-${host}`,
    replay,
    onFatal,
    freeBytes: () => FREE_BYTES,
    limits: { segmentBytes, freeBytesMin: 1 },
  });
  const { harmless, stopped } = archive.stats();
  const damage = harmless[0] ?? [...stopped.values()][0];
  if (damage !== undefined) throw new Error(`a journal is taken for damaged: ${damage.what}`);
  return archive;
}
