/** Main with its door: the real gate, visits, supervisor and watchdog, over threads that are rooms. As runtime/node.ts and runtime/door/uws.ts put it together. */
import type { HttpRequest } from 'uWebSockets.js';
import { limits } from '#config/limits.ts';
import { createPulse, type PulseReading } from '#actors/host/pulse.ts';
import { systemClock } from '#actors/kit/clock.ts';
import { Unsent } from '#actors/kit/unsent.ts';
import { Channel, type Port } from '#actors/protocol/channel.ts';
import { compileRouter } from '#actors/protocol/router.ts';
import type { ThreadName } from '#actors/protocol/topic.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import { Directory } from '#runtime/door/directory.ts';
import { Drain } from '#runtime/door/drain.ts';
import { Gate } from '#runtime/door/gate.ts';
import { HeaderFields } from '#runtime/door/header-fields.ts';
import type { DoorState } from '#runtime/door/moving-visit.ts';
import type { VisitHandler } from '#runtime/door/port.ts';
import { Rates } from '#runtime/door/rates.ts';
import { RequestIds } from '#runtime/door/request-id.ts';
import { Suspensions } from '#runtime/door/suspensions.ts';
import { DEFAULT_PACE, Transfers } from '#runtime/door/transfers.ts';
import { UwsVisit } from '#runtime/door/uws-visit.ts';
import { Relays } from '#runtime/relays/relays.ts';
import type { ChildRow } from '#runtime/supervisor/children.ts';
import { Shared } from '#runtime/supervisor/shared.ts';
import { Supervisor } from '#runtime/supervisor/supervisor.ts';
import type { Thread } from '#runtime/supervisor/thread.ts';
import { Watchdog } from '#runtime/supervisor/watchdog.ts';
import { runRateKeeper, type RateKeeperData } from '#runtime/threads/rate-keeper.ts';
import type { Machine } from '#test/simulation/machine/machine.ts';
import type { Room } from '#test/simulation/machine/room.ts';
import { portsBetween } from '#test/simulation/node/ports.ts';
import type { Company } from './company.ts';
import { HostRoom } from './host-room.ts';
import type { SimulatedResponse } from './response.ts';
import { ROUTES } from './service.ts';
import type { DoorSettings } from './settings.ts';
import { entriesOf, inactive } from './tenants.ts';
import type { Wish } from './wish.ts';

const silent = (): void => undefined;

/** Says how many visits are under way. */
class CountedDrain extends Drain {
  visits = 0;

  override enter(): void {
    this.visits++;
    super.enter();
  }

  override leave(): void {
    this.visits--;
    super.leave();
  }
}

export interface DoorNodePorts {
  readonly machine: Machine;
  readonly settings: DoorSettings;
  /** A request was answered, as the metrics count it. */
  readonly counted: (requestId: string, status: number) => void;
  /** A host's thread has ended. */
  readonly away: () => void;
  /** Every place has a thread that serves. */
  readonly back: () => void;
  /** Null where the door is alone with its hosts and rates. */
  readonly company: Company | null;
}

export class DoorNode {
  readonly main: Room;
  readonly entries: readonly TenantEntry[];
  readonly #ports: DoorNodePorts;
  readonly #supervisor: Supervisor;
  readonly #gate: Gate;
  readonly #handler: VisitHandler;
  readonly #rates: Rates;
  readonly #suspensions: Suspensions;
  readonly #directory = new Directory([]);
  readonly #drain = new CountedDrain();
  readonly #state: DoorState;
  readonly #fields = new HeaderFields();
  readonly #hosts = new Map<Room, SimulatedThread>();
  readonly #others = new Map<ThreadName, SimulatedThread>();
  readonly #relays: Relays;
  #hasEndedHost = false;
  isOpen = false;
  isClosed = false;

  /** To be called in the room of main. */
  constructor(main: Room, ports: DoorNodePorts) {
    this.main = main;
    this.#ports = ports;
    const { settings, machine } = ports;
    const { world } = machine;
    this.entries = entriesOf(settings.tenants, settings.hosts * limits.storage.shardsPerHost);
    this.#directory.put([...this.entries, ...(ports.company?.entries ?? []), inactive(1)]);
    this.#rates = new Rates(settings.platform);
    this.#suspensions = new Suspensions({
      monotonic: () => performance.now(),
      refuseForMs: settings.refuseForMs,
      began: silent,
      ended: silent,
    });
    this.#relays = new Relays({
      noticeDepth: 1,
      directory: this.#directory,
      hostOf: (shard) => this.#supervisor.host(shard),
      after: (ms, run) => void world.after(ms, main, 'relay', run),
      log: { info: silent, warn: silent, error: silent },
    });
    this.#supervisor = this.#supervise();
    this.#gate = new Gate(ROUTES, {
      directory: this.#directory,
      rates: this.#rates,
      ids: new RequestIds(),
      suspensions: this.#suspensions,
      desk: (_route, tenant) => this.#supervisor.hostDesk(tenant?.shard ?? 0),
      answered: ({ requestId }, status) => ports.counted(requestId, status),
    });
    this.#handler = this.#gate.handler(compileRouter(ROUTES.map(({ no, row }) => ({ no, ...row }))));
    this.#state = {
      drain: this.#drain,
      onFault: (error) => world.fail(new Error('a visit has failed', { cause: error })),
      transfers: new Transfers(DEFAULT_PACE),
      late: null,
      unsent: new Unsent(limits.door.unsentBytesMax),
      onSlow: silent,
    };
    this.#watch();
    this.#start().catch((error: unknown) => machine.giveUp(error as Error));
  }

  #supervise(): Supervisor {
    const { settings } = this.#ports;
    const shared = new Shared();
    shared.replace(this.entries, []);
    return new Supervisor(
      {
        platform: settings.platform,
        clock: systemClock,
        log: { info: silent, warn: silent, error: (fields, text) => this.#logged(fields, text) },
        degraded: { report: silent, clear: () => this.#served() },
        spawn: (row) => {
          const thread = this.#spawn(row);
          if (this.#ports.company !== null) this.#relays.attach(thread);
          return thread;
        },
        adopted: silent,
        room: () => ({ attach: silent }),
        shared,
        replies: (batch) => this.#gate.replies(batch),
        lost: (desk) => this.#gate.lost(desk),
        restarted: silent,
        giveUp: (reason) => this.#giveUp(reason),
      },
      0,
    );
  }

  /** Ends the process with exit code 70, which a host that ends before it has opened may do, too. */
  #giveUp(reason: string): void {
    const { machine } = this.#ports;
    if (this.#hasEndedHost) machine.fall({ kind: 'kill' });
    else machine.giveUp(new Error(reason));
  }

  async #start(): Promise<void> {
    await this.#supervisor.start();
    this.isOpen = true;
    this.#served();
    this.#supervisor.warmSpare();
  }

  #away(): void {
    if (this.isOpen) this.#ports.away();
  }

  #served(): void {
    // Main learns of the end of a thread a while after it.
    const isWhole = [...this.#hosts.keys()].every(({ alive }) => alive);
    const isServed = [...this.#supervisor.places()].every(({ desk }) => desk.outbox !== null);
    if (this.isOpen && isWhole && isServed) this.#ports.back();
  }

  #watch(): void {
    const watchdog = new Watchdog({
      monotonic: () => performance.now(),
      log: { info: silent, warn: silent, error: silent },
      degraded: { report: silent, clear: silent },
      watched: () => this.#supervisor.watched(),
      suspect: () => ({ tenant: null, route: null, part: null, requestId: null }),
      stalled: silent,
      replace: (thread, reason) => this.#supervisor.replaceHost(thread, reason),
      strike: (reading) => this.#strike(reading),
      replaceAfterMs: this.#ports.settings.replaceAfterMs,
    });
    setInterval(() => {
      if (!this.isOpen) return;
      watchdog.look();
      this.#suspensions.sweep();
    }, limits.watchdog.lookMs);
  }

  #strike({ activity, tenantNo, routeNo }: PulseReading): void {
    if (activity !== 'request') throw new Error(`a host stands still in a request, and shows ${activity}`);
    this.#suspensions.strike(tenantNo, routeNo, '');
  }

  #spawn(row: ChildRow): Thread {
    const { machine, settings, company } = this.#ports;
    const { world } = machine;
    const room = machine.start(row.name);
    const [near, port] = portsBetween(world, this.main, room);
    const channel = new Channel(near, 'main', row.name);
    const thread = new SimulatedThread(row, machine, { main: this.main, room, channel, away: () => this.#away() });
    if (row.name === 'tenant-host') {
      this.#hosts.set(room, thread);
      void thread.gone.then(() => this.#hosts.delete(room));
    } else this.#others.set(row.name, thread);
    world.after(world.latencyMs(), room, 'load', () => {
      if (row.name === 'tenant-host') {
        const { pulse } = thread;
        return void new HostRoom(port, { machine, room, pulse, segmentBytes: settings.segmentBytes, company });
      }
      if (row.name === 'rate-keeper') return this.#openKeeper(port, thread.pulse);
      if (company !== null) return company.open(row.name, port, room, thread.pulse);
      const own = new Channel(port, row.name, 'main');
      if (row.name === 'intake-writer') own.answer('intake.open', () => ({ replayed: 0 }));
      own.answer('thread.beat', () => null);
      own.answer('thread.drain', () => null);
    });
    return thread;
  }

  #openKeeper(port: Port, pulse: Int32Array): void {
    const { platform } = this.#ports.settings;
    runRateKeeper(port as never, { platform, rates: this.#rates.buffer, pulse } as unknown as RateKeeperData);
  }

  /** Main logs whatever its threads do; only this may not be. */
  #logged(fields: object, text: string): void {
    const { err } = fields as { err?: Error };
    const { machine } = this.#ports;
    if (err !== undefined && !machine.hasFault) machine.world.fail(new Error(text, { cause: err }));
  }

  /** A request has arrived at the door, as far as its head. In the room of main. */
  arrived({ method, path, query, at, key, no, isChunked, body }: Wish, response: SimulatedResponse): void {
    const fields = this.#fields;
    fields.reset();
    const sent: [string, string][] = [
      ['host', 'here'],
      ['authorization', 'Bearer x'],
      ['x-request-id', `r${no}`],
    ];
    if (key !== '') sent.push(['idempotency-key', key]);
    if (isChunked) sent.push(['transfer-encoding', 'chunked']);
    else if (body.byteLength > 0) sent.push(['content-length', String(body.byteLength)]);
    for (const [name, value] of [...sent, ...at.fields]) fields.add(name, value);
    const fault = fields.fault(method);
    if (fault > 0) throw new Error(`a sound request is refused with ${fault}`);
    const request = { getQuery: () => query } as unknown as HttpRequest;
    new UwsVisit(method, path, request, response.asAddon, fields, this.#state).serve(this.#handler);
    response.returned();
  }

  /** Ends one of the hosts' threads, as a crash does; the spare is one of them. False where there is none. */
  endHost(pick: (hosts: readonly Room[]) => Room): boolean {
    const hosts = [...this.#hosts.keys()].filter(({ alive }) => alive);
    if (hosts.length === 0) return false;
    this.#hasEndedHost = true;
    void this.#hosts.get(pick(hosts))!.kill();
    return true;
  }

  /** Ends the one thread of a kind, once it serves. False where it does not. */
  endThread(kind: ThreadName): boolean {
    const thread = this.#others.get(kind);
    const serves = [...this.#supervisor.places()].some(({ desk }) => desk.name === kind && desk.outbox !== null);
    if (thread === undefined || !serves) return false;
    void thread.kill();
    return true;
  }

  /** Main's end of the channel to the one thread of a kind. */
  channel(kind: Exclude<ThreadName, 'main'>): Channel | undefined {
    return this.#supervisor.channel(kind);
  }

  /** Suspends a tenant, or resumes it. */
  stand(entry: TenantEntry, isSuspended: boolean): void {
    this.#directory.change({ put: [isSuspended ? { ...entry, standing: 'suspended' } : entry], gone: [] });
  }

  /** What is still in use; null where nothing is. */
  get inUse(): string | null {
    const desks = [...this.#supervisor.places()].map(({ desk }) => desk);
    const inFlight = desks.reduce((sum, desk) => sum + desk.inFlight, 0);
    const counts = {
      waiting: this.#gate.inFlight,
      'in flight': inFlight,
      visits: this.#drain.visits,
      'unsent bytes': this.#state.unsent.bytes,
      suspended: this.#suspensions.active,
      'desks without a thread': desks.filter(({ outbox }) => outbox === null).length,
    };
    const left = Object.entries(counts).filter(([, count]) => count !== 0);
    return left.length === 0 ? null : left.map(([what, count]) => `${what}: ${count}`).join(', ');
  }

  /** Stops its threads in order. In the room of main. */
  async close(): Promise<void> {
    this.isOpen = false;
    this.#relays.stop();
    await this.#supervisor.stop();
    this.isClosed = true;
  }
}

interface ThreadParts {
  readonly main: Room;
  readonly room: Room;
  readonly channel: Channel;
  readonly away: () => void;
}

/** A thread as the supervisor holds it: as runtime/supervisor/child.ts. */
class SimulatedThread implements Thread {
  readonly row: ChildRow;
  readonly channel: Channel;
  readonly pulse = createPulse();
  readonly gone: Promise<string>;
  readonly #machine: Machine;
  readonly #parts: ThreadParts;
  #resolve: (reason: string) => void = silent;

  constructor(row: ChildRow, machine: Machine, parts: ThreadParts) {
    this.row = row;
    this.channel = parts.channel;
    this.#machine = machine;
    this.#parts = parts;
    this.gone = new Promise((resolve) => (this.#resolve = resolve));
  }

  /** Grows unless it stands still. */
  get idleMs(): number {
    const { nowMs } = this.#machine.world;
    return this.#parts.room.stillUntilMs > nowMs ? 0 : nowMs + 1;
  }

  async kill(): Promise<void> {
    const { world } = this.#machine;
    const { main, room, away } = this.#parts;
    if (!room.alive) return;
    if (this.row.name === 'tenant-host') away();
    this.#machine.endThread(room);
    world.after(world.latencyMs(), main, `exit of ${this.row.name}`, () => {
      this.channel.close(`${this.row.name}: exit 1`);
      this.#resolve('exit 1');
    });
  }
}
