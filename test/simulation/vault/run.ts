/**
 * One run of the vault: clients write, read and remove secrets, operators seal, unseal and rotate, while its thread ends, its process is killed and the power
 * goes. What each was answered is held against a plain model; in the end all of it is read, twice, and no value lies on the disk as it is.
 */
import { Channel } from '#actors/protocol/channel.ts';
import { fallOf, type Machine } from '#test/simulation/machine/machine.ts';
import { Room } from '#test/simulation/machine/room.ts';
import { runOnMachine } from '#test/simulation/machine/run-on-machine.ts';
import type { Counts, Options, Outcome, SimulatedRun } from '#test/simulation/machine/run-on-machine.ts';
import type { World } from '#test/simulation/machine/world.ts';
import { portsBetween } from '#test/simulation/node/ports.ts';
import type { Bounds } from '#test/simulation/node/settings.ts';
import { Random } from '#test/kit/random.ts';
import { Clients } from './clients.ts';
import { judgeDisk } from './judge-disk.ts';
import { openKeeperRoom, STATE_DIR, type KeeperRoom } from './keeper-room.ts';
import { Operator } from './operator.ts';
import { vaultSettingsOf, type VaultRunSettings } from './settings.ts';
// What it imports while it runs must be there: nothing in a run waits for real time.
import 'shamir-secret-sharing';

class VaultRun implements SimulatedRun {
  readonly #settings: VaultRunSettings;
  readonly #world: World;
  readonly #machine: Machine;
  readonly #random: Random;
  readonly #outside = new Room('clients');
  readonly #operator: Operator;
  readonly #clients: Clients;
  #main: Room | null = null;
  /** That of the keeper. */
  #room: Room | null = null;
  #channel: Channel | null = null;
  #keeper: KeeperRoom | null = null;
  #fallsLeft: number;
  #threadEnds = 0;
  #opened = 0;
  /** From now on nothing falls. */
  #isOver = false;

  constructor(settings: VaultRunSettings, world: World, machine: Machine) {
    this.#settings = settings;
    this.#world = world;
    this.#machine = machine;
    this.#random = new Random(settings.seed ^ 0xc11e);
    this.#fallsLeft = settings.falls;
    this.#operator = new Operator(settings, this.#random);
    this.#clients = new Clients({
      settings,
      world,
      random: this.#random,
      outside: this.#outside,
      operator: this.#operator,
      keeper: () => this.#keeper,
      room: () => this.#room!,
      reveal: (name) => this.#reveal(name),
      hasFault: () => machine.hasFault,
    });
  }

  counts(): Counts {
    const { acknowledged, undone, reached } = this.#clients;
    const { rotations } = this.#operator;
    return {
      threadEnds: this.#threadEnds,
      acknowledged,
      undone,
      reached: { ...reached, openings: this.#opened, rootRotations: rotations, syncsFailed: this.#machine.faults },
    };
  }

  async all(): Promise<void> {
    this.#machine.disk.install(STATE_DIR);
    const hasShares = this.#settings.seal === 'shamir';
    this.#switchOn();
    if (!hasShares) this.#planFall();
    await this.#until(() => this.#keeper !== null);
    // Shares whose answer gets lost are lost for good, and the vault with them: nothing falls until they are given.
    if (hasShares) {
      await this.#clients.init();
      this.#planFall();
    }
    this.#clients.begin();
    this.#endSometime();
    await this.#until(() => this.#clients.isDone);
    this.#machine.rest();
    this.#isOver = true;
    await this.#clients.judge();
    await this.#close();
    judgeDisk(this.#machine.disk, this.#settings, this.#clients.everWritten);
    this.#in(this.#main!, 'start again', () => this.#start());
    await this.#until(() => this.#keeper !== null);
    await this.#clients.judge();
    await this.#close();
  }

  /** Runs on; a machine that has fallen is switched on again. */
  async #until(done: () => boolean): Promise<void> {
    await this.#world.run(() => {
      if (this.#machine.rooms.size === 0) this.#fellDown();
      return done();
    });
  }

  #fellDown(): void {
    this.#keeper = null;
    this.#clients.lost();
    this.#fallsLeft--;
    this.#switchOn();
    this.#planFall();
  }

  #switchOn(): void {
    const main = (this.#main = this.#machine.start('main'));
    this.#in(main, 'start', () => this.#start());
  }

  #planFall(): void {
    const random = this.#random;
    if (this.#fallsLeft <= 0) return;
    this.#machine.plan({ afterChanges: 1 + random.below(random.pick([4, 12, 120])), fall: fallOf(random) });
    if (this.#settings.hasDiskFaults) this.#machine.syncsUntilFault = 1 + random.below(20);
  }

  #start(): void {
    const room = this.#machine.start('vault-keeper');
    this.#room = room;
    const [near, port] = portsBetween(this.#world, this.#main!, room);
    this.#channel = new Channel(near, 'main', 'vault-keeper');
    const keys = this.#operator.keys();
    const onFatal = (error: Error): void => this.#machine.giveUp(error);
    this.#in(room, 'open', async () => {
      const keeper = await openKeeperRoom({
        settings: this.#settings,
        channel: new Channel(port, 'vault-keeper', 'main'),
        keys,
        onFatal,
        record: () => this.#record(),
      }).catch(onFatal);
      if (keeper === undefined) return;
      this.#in(this.#outside, 'opened', () => {
        if (this.#room !== room || !room.alive) return;
        this.#keeper = keeper;
        this.#operator.opened();
        this.#opened++;
      });
    });
  }

  /** The audit log has an event after a while. */
  #record(): Promise<void> | null {
    if (!this.#settings.awaitsAudit) return null;
    return new Promise((resolve) => {
      this.#world.after(this.#world.latencyMs(), this.#world.here(), 'recorded', resolve);
    });
  }

  async #reveal(name: string): Promise<string> {
    return (await this.#channel!.ask('vault.reveal', { name })).value;
  }

  #endSometime(): void {
    this.#world.after(this.#random.below(300), this.#outside, 'the keeper may end', () => {
      if (this.#isOver || this.#threadEnds >= this.#settings.falls) return;
      const room = this.#room;
      if (room?.alive === true && this.#main!.alive && this.#keeper !== null) {
        this.#machine.endThread(room);
        this.#threadEnds++;
        this.#keeper = null;
        this.#channel!.close('the thread is gone');
        this.#clients.lost();
        this.#in(this.#main!, 'start again', () => this.#start());
      }
      this.#endSometime();
    });
  }

  async #close(): Promise<void> {
    const keeper = this.#keeper!;
    let isClosed = false;
    this.#in(this.#room!, 'close', async () => {
      await keeper.close();
      isClosed = true;
    });
    await this.#world.run(() => isClosed);
    this.#keeper = null;
    this.#machine.endThread(this.#room!);
  }

  /** Something happens in a room a little later; its failure is that of the run. */
  #in(room: Room, line: string, run: () => void | Promise<void>): void {
    const world = this.#world;
    world.after(world.latencyMs(), room, line, () => {
      Promise.resolve()
        .then(run)
        .catch((error: unknown) => {
          if (room.alive) world.fail(error as Error);
        });
    });
  }
}

/** Runs a seed. Never throws: what is wrong is in the outcome. */
export function runVaultSeed(seed: number, bounds: Bounds, options: Options = {}): Promise<Outcome> {
  const settings = vaultSettingsOf(seed, bounds);
  return runOnMachine(seed, options, (world, machine) => new VaultRun(settings, world, machine));
}
