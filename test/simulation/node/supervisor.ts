/** Main's part: starts the rooms, replaces those that end, hands events on, and ends the node. As runtime/supervisor and runtime/relays do. */
import { findJournals, nextEpoch, retireJournals } from '#storage/journal/directories.ts';
import { Channel } from '#actors/protocol/channel.ts';
import type { ThreadName } from '#actors/protocol/topic.ts';
import { AUDIT } from '#runtime/relays/kinds.ts';
import { Relay } from '#runtime/relays/relay.ts';
import type { Machine } from '#test/simulation/machine/machine.ts';
import type { Room } from '#test/simulation/machine/room.ts';
import { DATA_DIR, openHost } from './host.ts';
import type { SimulatedHost } from './host.ts';
import type { Ledger } from './ledger.ts';
import { portsBetween } from './ports.ts';
import { openSealer } from './sealer.ts';
import type { SimulatedSealer } from './sealer.ts';
import type { Settings } from './settings.ts';

interface Thread {
  readonly room: Room;
  /** Main's end. */
  readonly channel: Channel;
  readonly ended: PromiseWithResolvers<void>;
}

const silent = (): void => undefined;
const QUIET = { info: silent, warn: silent, error: silent };

export class SimulatedNode {
  readonly #machine: Machine;
  readonly #settings: Settings;
  readonly #ledger: Ledger;
  readonly #main: Room;
  readonly #relay: Relay<never, never> | null;
  #hostThread: Thread | null = null;
  #sealerThread: Thread | null = null;
  #sealer: SimulatedSealer | null = null;
  /** Null until its stores are open. */
  host: SimulatedHost | null = null;
  isClosed = false;
  /** Whether main knows that the host is open. */
  #isOpened = false;

  constructor(machine: Machine, settings: Settings, ledger: Ledger) {
    this.#machine = machine;
    this.#settings = settings;
    this.#ledger = ledger;
    this.#main = machine.start('main');
    this.#relay = settings.hasAudit
      ? (new Relay(AUDIT, {
          source: () => this.#hostThread?.channel ?? null,
          after: (ms, run) => void machine.world.after(ms, this.#main, 'relay', run),
          log: QUIET,
        }) as unknown as Relay<never, never>)
      : null;
    this.#in(this.#main, 'start', () => {
      if (this.#relay !== null) this.#startSealer();
      this.#startHost();
    });
  }

  get hostRoom(): Room | null {
    return this.#hostThread?.room ?? null;
  }

  /** Whether it is open, and everything that was committed is in the audit log. */
  get isQuiet(): boolean {
    return this.#isOpened && this.host !== null && (this.#relay === null || this.host.waitingEvents === 0);
  }

  /** One of its threads ends, if it runs. */
  endThread(kind: 'host' | 'sealer'): void {
    const thread = kind === 'host' ? this.#hostThread : this.#sealerThread;
    if (thread?.room.alive !== true) return;
    this.#machine.endThread(thread.room);
    if (kind === 'host') this.host = null;
    this.#in(this.#main, `${kind} has ended`, () => {
      thread.channel.close('the thread is gone');
      thread.ended.resolve();
      if (kind === 'host') this.#startHost();
      else this.#startSealer();
    });
  }

  /** Drains and closes every room. */
  close(): void {
    const { host } = this;
    this.host = null;
    this.#in(this.#main, 'stop', () => {
      this.#in(this.#hostThread!.room, 'close', async () => {
        await host!.close();
        if (this.#sealer === null) this.isClosed = true;
        else
          this.#in(this.#sealerThread!.room, 'close', async () => {
            await this.#sealer!.close();
            this.isClosed = true;
          });
      });
    });
  }

  /** Something happens in a room a little later; its failure is that of the run. */
  #in(room: Room, line: string, run: () => void | Promise<void>): void {
    const { world } = this.#machine;
    world.after(world.latencyMs(), room, line, () => {
      attempt(run).catch((error: unknown) => this.#onFatal(error as Error));
    });
  }

  #spawn(name: string, kind: ThreadName): Thread & { readonly far: Channel } {
    const room = this.#machine.start(name);
    const [near, far] = portsBetween(this.#machine.world, this.#main, room);
    return {
      room,
      channel: new Channel(near, 'main', kind),
      far: new Channel(far, kind, 'main'),
      ended: Promise.withResolvers(),
    };
  }

  #startHost(): void {
    this.#isOpened = false;
    const old = findJournals(DATA_DIR);
    const epoch = nextEpoch(DATA_DIR);
    const thread = this.#spawn('host', 'tenant-host');
    this.#hostThread = thread;
    this.#relay?.attachSource(thread.channel);
    this.#in(thread.room, 'open', async () => {
      const channel = this.#relay === null ? null : thread.far;
      const ports = { settings: this.#settings, ledger: this.#ledger, channel, onFatal: this.#onFatal };
      const host = await openHost(ports, epoch, old);
      this.#ledger.reopened(host.found());
      host.resume();
      this.host = host;
      this.#in(this.#main, 'opened', () => {
        if (this.#hostThread !== thread) return;
        retireJournals(old, this.#settings.keeps);
        this.#isOpened = true;
      });
    });
  }

  #startSealer(): void {
    const thread = this.#spawn('sealer', 'audit-sealer');
    this.#sealerThread = thread;
    this.#in(thread.room, 'open', () => {
      const onWorse = (what: string): void => this.#machine.world.fail(new Error(what));
      this.#sealer = openSealer({ settings: this.#settings, channel: thread.far, onFatal: this.#onFatal, onWorse });
      this.#in(this.#main, 'opened', () => {
        if (this.#sealerThread === thread) this.#relay!.attachReceiver(thread.channel, thread.ended.promise);
      });
    });
  }

  /** Ends the process with exit code 70, which only a fault of the disk may do. */
  readonly #onFatal = (error: Error): void => {
    const { world } = this.#machine;
    if (world.room?.alive === false) return;
    if (!this.#machine.hasFault) world.fail(new Error('the node gave up', { cause: error }));
    this.#machine.fall({ kind: 'power', style: 'mixed' });
  };
}

async function attempt(run: () => void | Promise<void>): Promise<void> {
  await run();
}
