/** A node on the log: a process that waits, follows, serves, hands over, and ends; one after another on the same store. Its membership, its follower and its host are those of the product. */
import { Corruption } from '#storage/fault.ts';
import { EngineRefused, TrimGap, TrimRefused, type LogEngine } from '#storage/log-engine/port.ts';
import { untilKnown } from '#storage/log-engine/until-known.ts';
import { shardPath } from '#storage/archive.ts';
import type { Log } from '#actors/host/activation.ts';
import { ClusterNode } from '#runtime/cluster/cluster-node.ts';
import { FollowLog } from '#runtime/cluster/follow-log.ts';
import { createLeaseCell, machineMs } from '#runtime/cluster/lease-cell.ts';
import { openEnvironment } from '#test/simulation/instead/environment.ts';
import type { Machine } from '#test/simulation/machine/machine.ts';
import type { Room } from '#test/simulation/machine/room.ts';
import type { World } from '#test/simulation/machine/world.ts';
import type { SimulatedDatabase } from './database.ts';
import { Hosting, Places } from './carriers.ts';
import { HostRooms } from './host-rooms.ts';
import { openClusterHost, pause, type ClusterHost, type HostParts } from './host.ts';
import type { Ledger } from './ledger.ts';
import { across, Link } from './link.ts';
import { SHARDS, type ClusterSettings } from './settings.ts';
import { NoCopy, type Copies } from './stores.ts';

const WALL_MS = 1e12;
const AGAIN_MS = 500;

export interface ClusterPorts {
  readonly settings: ClusterSettings;
  readonly world: World;
  readonly machine: Machine;
  readonly database: SimulatedDatabase;
  readonly ledger: Ledger;
  readonly copies: Copies;
  /** Where what is no part of a node happens. */
  readonly outside: Room;
  /** Nodes that wait and run hosts for others, by their lives. */
  readonly hostings: Map<string, Hosting>;
  readonly reached: ClusterReached;
}

export interface ClusterReached {
  served: number;
  fenced: number;
  lost: number;
  handedOver: number;
  followed: number;
  gaps: number;
  trimsRefused: number;
  moved: number;
  cameHome: number;
}

/** One process: main, and a host while it serves. */
interface Process {
  readonly id: string;
  readonly main: Room;
  readonly cluster: ClusterNode;
  readonly engine: LogEngine;
  hostRoom: Room | null;
  host: ClusterHost | null;
  /** Where nodes carry: its hosts, each over one shard, its own places, and what it does for another node. */
  readonly hosts: HostRooms;
  places: Places | null;
  hosting: Hosting | null;
}

export class SimulatedNode {
  readonly name: string;
  readonly dataDir: string;
  readonly link: Link;
  readonly #ports: ClusterPorts;
  readonly #rate: number;
  readonly #skewMs: number;
  #process: Process | null = null;
  #boots = 0;
  #lives = 0;
  /** The machine is gone, with its disk. */
  isGone = false;
  /** It starts no process any more. */
  isHalted = false;

  /** `name`: of one beside those of the settings. */
  constructor(ports: ClusterPorts, no: number, name = `n${no}`) {
    const { database, settings, world } = ports;
    this.#ports = ports;
    this.name = name;
    this.dataDir = `/sim/${this.name}`;
    this.#rate = settings.rates[no]!;
    this.#skewMs = settings.skews[no]!;
    this.link = new Link(world, database.room, settings.leaseMs);
  }

  /** The host that takes calls; null where none is open here. */
  get host(): ClusterHost | null {
    return this.hosts[0] ?? null;
  }

  /** All hosts that take calls here. */
  get hosts(): ClusterHost[] {
    const { host, hosts } = this.#process ?? { host: null, hosts: null };
    return [...(host === null ? [] : [host]), ...(hosts?.hosts ?? [])].filter(({ isClosing }) => !isClosing);
  }

  get life(): string | null {
    return this.#process?.id ?? null;
  }

  get rooms(): Room[] {
    const { main, hostRoom, hosts } = this.#process ?? { main: null, hostRoom: null, hosts: null };
    return [main, hostRoom, ...(hosts?.rooms ?? [])].filter((room) => room !== null);
  }

  start(): void {
    if (this.#process !== null || this.isHalted || this.isGone) return;
    const { database, machine, settings, world } = this.#ports;
    const main = machine.start(`${this.name} main`);
    main.rate = this.#rate;
    world.after(0, main, 'start', () => {
      const life = {
        id: `${this.name}.${this.#lives++}`,
        node: this.name,
        place: `${this.name} boot ${this.#boots}`,
        leaseMs: settings.leaseMs,
        ...(settings.carries && { link: this.name }),
      };
      const nodes = database.nodes(this.link, settings.leaseMs);
      const cluster = new ClusterNode({ nodes, life, cell: createLeaseCell(), log: QUIET });
      const engine = database.engine(this.link, settings.leaseMs);
      const process: Process = {
        id: life.id,
        main,
        cluster,
        engine,
        hostRoom: null,
        host: null,
        hosts: new HostRooms({
          world,
          machine,
          name: this.name,
          rate: this.#rate,
          opens: (no) => this.#opensHost(process, [no]).catch((error: Error) => this.#failed(error)),
        }),
        places: null,
        hosting: null,
      };
      this.#process = process;
      void this.#joins(process).catch((error: unknown) => this.#failed(error as Error));
    });
  }

  /** As runtime/cluster/join-log.ts: it waits and follows, and serves when it has its place. */
  async #joins(process: Process): Promise<void> {
    const { cluster } = process;
    const following = this.#follows(process);
    cluster.tells(() => following.follows);
    if (this.#ports.settings.carries) this.#carries(process, following);
    await cluster.serve(() => {
      following.start();
      return Promise.resolve();
    });
    cluster.keep(((error: Error) => this.#exits(error)) as (error: Error) => never);
    cluster.tells(() => null);
    await following.stop();
    if (this.#ports.settings.carries) return this.#opensPlaces(process);
    process.hostRoom = this.#ports.machine.start(`${this.name} host`);
    process.hostRoom.rate = this.#rate;
    await across(this.#ports.world, process.hostRoom, () => this.#opens(process));
    this.#ports.reached.served++;
    cluster.whenToldToHandOver(() => void this.#handsOver(process));
  }

  #carries(process: Process, following: FollowLog): void {
    const { hostings, settings, world } = this.#ports;
    const { cluster, hosts, id, main } = process;
    const lost = (): void => this.#isOvertaken(id);
    process.hosting = new Hosting({ world, main, hosts, settings, lost, carrying: cluster.carrying(following) });
    hostings.set(id, process.hosting);
  }

  async #opensPlaces(process: Process): Promise<void> {
    const { hostings, reached, settings, world } = this.#ports;
    const { cluster, hosts, id, main } = process;
    const lost = (): void => this.#isOvertaken(id);
    process.places = new Places({
      world,
      main,
      hosts,
      settings,
      lost,
      id,
      hostings,
      reached,
      carriers: cluster.carriers,
    });
    await process.places.open();
    reached.served++;
    cluster.whenToldToHandOver(() => void this.#handsOver(process));
  }

  #follows({ engine }: Process): FollowLog {
    const { copies, database, reached, settings } = this.#ports;
    return new FollowLog({
      engine: this.#counted(database.engine(this.link, settings.leaseMs)),
      open: async (shard) => {
        await copies.bringBack(engine, this.dataDir, shard);
        return openEnvironment(shardPath(this.dataDir, shard), { onFatal: (error) => this.#exits(error) });
      },
      hasRoom: () => Promise.resolve(true),
      bounds: { gatherMax: 4, putsMax: settings.putsMax },
      readBytesMax: settings.readBytesMax,
      everyMs: Math.max(300, settings.leaseMs / 4),
      awayMsMax: 1000,
      faultMs: 1000,
      now: machineMs,
      log: {
        ...QUIET,
        warn: ({ err }: { readonly err?: Error }) => {
          if (isRefusal(err)) this.#ports.world.fail(new Error(`${this.name} does not follow: ${err!.message}`));
          reached.gaps++;
        },
      },
    });
  }

  #counted(engine: LogEngine): LogEngine {
    const { reached } = this.#ports;
    const read: LogEngine['readConfirmed'] = async (...where) => {
      const chunk = await engine.readConfirmed(...where);
      reached.followed += chunk.entries.length;
      return chunk;
    };
    return new Proxy(engine, {
      get: (target, name) => {
        if (name === 'readConfirmed') return read;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  }

  async #opens(process: Process): Promise<void> {
    const host = await this.#opensHost(process, SHARDS);
    if (host === null) return this.#isOvertaken(process.id);
    process.host = host;
  }

  async #opensHost(process: Process, shards: readonly number[]): Promise<ClusterHost | null> {
    const { copies, database, settings, world } = this.#ports;
    const engine = database.engine(this.link, settings.leaseMs);
    for (const shard of shards) await copies.bringBack(engine, this.dataDir, shard);
    const { cell } = process.cluster;
    const confirms = (): Promise<boolean> => across(world, process.main, () => process.cluster.confirm());
    const onFatal = (error: Error): void =>
      settings.carries && /is lost/.test(error.message) ? this.#isOvertaken(process.id) : this.#exits(error);
    return openClusterHost({ ...this.#hostParts(engine), shards, cell, confirms, onFatal });
  }

  /** A node that ends because another one took a shard has to be right: an heir that ends for nothing leaves callers without a node for a lease. So has one that runs hosts for the one that serves. */
  #isOvertaken(life: string): void {
    const { database, world } = this.#ports;
    const { nodes, serving } = database.log.primary.table;
    const mine = nodes.get(life);
    if (serving === life || (mine?.isFenced === false && mine.carries !== null && mine.carries === serving))
      world.fail(new Error(`${life} ends because another node took a shard, and no other node has its place`));
    this.#exits(new Error('another node has taken a shard'));
  }

  #hostParts(engine: LogEngine): HostParts {
    const { ledger, settings, world } = this.#ports;
    return {
      settings,
      world,
      ledger,
      node: this.name,
      dataDir: this.dataDir,
      shards: SHARDS,
      engine,
      cell: null,
      confirms: () => Promise.resolve(true),
      wallMs: () => WALL_MS + this.#skewMs + Math.floor(world.nowMs),
      onFatal: (error) => this.#exits(error),
    };
  }

  /** As a stop in order (runtime/node.ts), and a start behind it: the place is given up when nothing more is written, and the shards behind that, while the heir claims them. */
  async #handsOver(process: Process): Promise<void> {
    const { reached, world } = this.#ports;
    world.note(`${this.name} hands over`);
    await (process.places?.seal() ?? across(world, process.hostRoom!, () => process.host!.seal()));
    await process.cluster.leave();
    await (process.places?.close() ?? across(world, process.hostRoom!, () => process.host!.close()));
    reached.handedOver++;
    this.end();
    this.startLater(1);
  }

  /** A copy of a shard, and what becomes of it in the log: the copy is the host's, the log main's. */
  copies(shard: number): void {
    const { copies, world } = this.#ports;
    const { engine, main } = this.#process!;
    void across(world, main, async () => {
      const { snapshots } = await untilKnown(() => engine.look(shard), pause);
      const note = copies.make(this.dataDir, shard, snapshots[0]);
      await (note === null ? copies.rest(engine, shard) : copies.keep(engine, shard, note));
    }).catch((error: unknown) => {
      // It rested on a note that a read has shown and a failure of the database has undone: the engine keeps the entries, and the next copy tries again.
      if (!(error instanceof TrimRefused)) throw error;
      this.#ports.reached.trimsRefused++;
    });
  }

  #failed(error: Error): null {
    if (isRefusal(error)) this.#ports.world.fail(new Error(`${this.name} does not start: ${error.message}`));
    else if (error instanceof TrimGap || error instanceof NoCopy || /was ended by another node/.test(error.message))
      this.#exits(error);
    else this.#ports.world.fail(error);
    return null;
  }

  /** Exit code 70: the process ends here and now, and is started again. */
  #exits(error: Error): void {
    const { reached, world } = this.#ports;
    if (world.room?.alive === false) return;
    if (/has taken the place|was ended by another/.test(error.message)) reached.fenced++;
    else if (/is lost|has taken a shard/.test(error.message)) reached.lost++;
    world.note(`${this.name} exits: ${error.message.slice(0, 80)}`);
    if (isRefusal(error)) world.fail(error);
    this.end();
    this.startLater(AGAIN_MS);
  }

  /** The process ends. `boot`: the machine is switched off and on, so that the next process cannot say that it is the only one. */
  end(boot = false): void {
    if (boot) this.#boots++;
    const { hostings, machine } = this.#ports;
    const { id, places, hosting } = this.#process ?? { id: '', places: null, hosting: null };
    for (const room of this.rooms) machine.endThread(room);
    this.#process = null;
    hostings.delete(id);
    places?.died();
    hosting?.died();
  }

  startLater(ms: number): void {
    this.#ports.world.after(ms, this.#ports.outside, `start ${this.name}`, () => this.start());
  }

  losesStores(): void {
    for (const shard of SHARDS) this.#ports.machine.disk.environments.delete(shardPath(this.dataDir, shard));
  }

  /** Opens the store once more, where nothing disturbs, and brings it to the end of the log; `then` may write. Rejects with what an opening refuses. */
  async audits(then: (host: ClusterHost) => void = () => undefined): Promise<void> {
    const { machine, world } = this.#ports;
    const room = machine.start(`${this.name} auditor`);
    await across(world, room, async () => {
      const host = (await this.#opensAlone())!;
      then(host);
      await host.close();
    });
    machine.endThread(room);
  }

  /** As `audits`, in a process that ends after so many milliseconds, in the middle of whatever it does then. */
  writesUntil(ms: number, then: (host: ClusterHost) => void): void {
    const { machine, outside, world } = this.#ports;
    const room = machine.start(`${this.name} writer`);
    world.after(0, room, 'opens', () => {
      this.#opensAlone().then(
        // A claim of the process before may come late.
        (host) => host !== null && then(host),
        (error: unknown) => world.fail(error as Error),
      );
    });
    world.after(ms, outside, `${room.name} ends`, () => machine.endThread(room));
  }

  async #opensAlone(): Promise<ClusterHost | null> {
    const { copies, database } = this.#ports;
    const engine = database.engine(this.link, 60_000);
    for (const shard of SHARDS) await copies.bringBack(engine, this.dataDir, shard);
    return openClusterHost(this.#hostParts(engine));
  }
}

/** What shows that a store is not the beginning of its log. */
const isRefusal = (error: unknown): boolean =>
  (error instanceof EngineRefused && !(error instanceof NoCopy)) || error instanceof Corruption;

const nothing = (): void => undefined;
const QUIET = { info: nothing, warn: nothing, error: nothing } as unknown as Log;
