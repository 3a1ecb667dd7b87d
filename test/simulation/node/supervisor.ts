/** Main's part: starts the rooms, replaces those that end, hands on what leaves them, and ends the node. As runtime/supervisor does. */
import { findJournals, nextEpoch, retireJournals } from '#storage/journal/directories.ts';
import { Channel, type Port } from '#actors/protocol/channel.ts';
import type { ThreadName } from '#actors/protocol/topic.ts';
import { Relays } from '#runtime/relays/relays.ts';
import type { Machine } from '#test/simulation/machine/machine.ts';
import type { Room } from '#test/simulation/machine/room.ts';
import { DATA_DIR, openHost, type SimulatedHost } from './host.ts';
import type { SimulatedIntake } from './intake/room.ts';
import type { Ledger } from './ledger.ts';
import { portsBetween } from './ports.ts';
import type { Parts } from './parts.ts';
import { openSealer } from './sealer.ts';
import type { Settings } from './settings.ts';
import type { TenantState } from './tenants/living.ts';
import { DIRECTORY } from './tenants/position.ts';

/** What runs in a thread, once it is open. */
interface Running {
  close(): Promise<void>;
}

interface Thread {
  readonly kind: ThreadName;
  readonly room: Room;
  /** Main's end. */
  readonly channel: Channel;
  readonly port: Port;
  readonly ended: PromiseWithResolvers<void>;
  running: Running | null;
}

const silent = (): void => undefined;
const QUIET = { info: silent, warn: silent, error: silent };
/** In the order in which they start; they close in the reverse one. */
const KINDS = ['audit-sealer', 'tenant-host', 'courier', 'intake-writer'] as const;

export class SimulatedNode {
  readonly #machine: Machine;
  readonly #settings: Settings;
  readonly #ledger: Ledger;
  readonly #parts: Parts;
  readonly #main: Room;
  readonly #relays: Relays;
  readonly #threads = new Map<ThreadName, Thread>();
  isClosed = false;
  /** What tenants with services have, once it is closed. */
  tenants: readonly TenantState[] = [];

  constructor(machine: Machine, settings: Settings, ledger: Ledger, parts: Parts) {
    this.#machine = machine;
    this.#settings = settings;
    this.#ledger = ledger;
    this.#parts = parts;
    this.#main = machine.start('main');
    const byNo = (no: number) => DIRECTORY.find((entry) => entry.no === no);
    const isOurs = (no: number): boolean => no < settings.tenants || byNo(no) !== undefined;
    this.#relays = new Relays({
      noticeDepth: 1,
      directory: {
        get: (key) => DIRECTORY.find(({ position }) => position.key === key),
        byNo: (no) => byNo(no) ?? (isOurs(no) ? DIRECTORY[0] : undefined),
        isThere: isOurs,
        isSuspended: () => false,
      },
      hostOf: () => this.#threads.get('tenant-host')!.channel,
      after: (ms, run) => void machine.world.after(ms, this.#main, 'relay', run),
      log: QUIET,
    });
    this.#in(this.#main, 'start', () => {
      for (const kind of KINDS) if (this.#has(kind)) this.#start(kind);
    });
  }

  #has(kind: (typeof KINDS)[number]): boolean {
    const { rooms } = this.#settings;
    if (kind === 'audit-sealer') return rooms.has('audit');
    if (kind === 'courier') return rooms.has('tenants');
    return kind === 'tenant-host' || rooms.has('intake');
  }

  /** The room of a thread that is open; null while it is not. */
  roomOf(kind: ThreadName): Room | null {
    const thread = this.#threads.get(kind);
    return thread === undefined || thread.running === null ? null : thread.room;
  }

  /** Null until its stores are open. */
  get host(): SimulatedHost | null {
    return (this.#threads.get('tenant-host')?.running ?? null) as SimulatedHost | null;
  }

  get intake(): SimulatedIntake | null {
    return (this.#threads.get('intake-writer')?.running ?? null) as SimulatedIntake | null;
  }

  /** Whether all is open, and everything that was committed is where it has to go. */
  get isQuiet(): boolean {
    const threads = [...this.#threads.values()];
    if (threads.length === 0 || threads.some(({ running }) => running === null)) return false;
    return this.host!.isQuiet && (this.intake?.waiting ?? 0) === 0;
  }

  guard(run: () => void): void {
    this.#machine.world.guard(run);
  }

  /** One of its threads ends, if it runs. */
  endThread(kind: ThreadName): boolean {
    const thread = this.#threads.get(kind);
    if (thread?.room.alive !== true) return false;
    this.#machine.endThread(thread.room);
    thread.running = null;
    this.#in(this.#main, `${kind} has ended`, () => {
      thread.channel.close('the thread is gone');
      thread.ended.resolve();
      this.#start(kind);
    });
    return true;
  }

  /** Drains and closes every room, those last that others hand something over to. */
  close(): void {
    const threads = [...this.#threads.values()].toReversed();
    this.#in(this.#main, 'stop', () => {
      this.#relays.stop();
      this.#closeNext(threads);
    });
  }

  #closeNext([thread, ...others]: readonly Thread[]): void {
    if (thread === undefined) {
      this.isClosed = true;
      return;
    }
    const { running } = thread;
    thread.running = null;
    this.#in(thread.room, 'close', async () => {
      await running!.close();
      if (thread.kind === 'tenant-host') this.tenants = (running as SimulatedHost).tenants;
      this.#in(this.#main, 'closed', () => this.#closeNext(others));
    });
  }

  /** Something happens in a room a little later; its failure is that of the run. */
  #in(room: Room, line: string, run: () => void | Promise<void>): void {
    const { world } = this.#machine;
    world.after(world.latencyMs(), room, line, () => {
      attempt(run).catch((error: unknown) => this.#onFatal(error as Error));
    });
  }

  #start(kind: ThreadName): void {
    const old = kind === 'tenant-host' ? findJournals(DATA_DIR) : [];
    const epoch = kind === 'tenant-host' ? nextEpoch(DATA_DIR) : 0;
    const room = this.#machine.start(kind);
    const [near, port] = portsBetween(this.#machine.world, this.#main, room);
    const channel = new Channel(near, 'main', kind);
    const thread: Thread = { kind, room, channel, port, ended: Promise.withResolvers(), running: null };
    this.#threads.set(kind, thread);
    this.#relays.attach({ row: { name: kind }, channel, gone: thread.ended.promise });
    this.#in(room, 'open', async () => {
      const running = kind === 'tenant-host' ? await this.#openHost(port, epoch, old) : await this.#open(kind, port);
      this.#in(this.#main, 'opened', () => {
        if (this.#threads.get(kind) !== thread) return;
        thread.running = running;
        if (kind === 'tenant-host') retireJournals(old, this.#settings.keeps);
      });
    });
  }

  async #openHost(port: Port, epoch: number, old: readonly string[]): Promise<SimulatedHost> {
    const channel = new Channel(port, 'tenant-host', 'main');
    const { living } = this.#parts;
    const ports = { settings: this.#settings, ledger: this.#ledger, channel, living, onFatal: this.#onFatal };
    const host = await openHost(ports, epoch, old);
    this.#ledger.reopened(host.found());
    host.resume();
    return host;
  }

  async #open(kind: ThreadName, port: Port): Promise<Running> {
    const settings = this.#settings;
    const onFatal = this.#onFatal;
    if (kind === 'courier') return this.#parts.courier!(port);
    const channel = new Channel(port, kind, 'main');
    if (kind === 'intake-writer') return this.#parts.intake!({ settings, channel, onFatal });
    const onWorse = (what: string): void => this.#machine.world.fail(new Error(what));
    return openSealer({ settings, channel, onFatal, onWorse });
  }

  readonly #onFatal = (error: Error): void => this.#machine.giveUp(error);
}

async function attempt(run: () => void | Promise<void>): Promise<void> {
  await run();
}
