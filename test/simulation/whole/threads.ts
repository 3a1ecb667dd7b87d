/** The threads of a whole node beside its door, its hosts and the keeper of its rates, each with what it runs in a node; and what hosts have beside their orders. */
import type { Archive } from '#storage/archive.ts';
import { Pulse } from '#actors/host/pulse.ts';
import { Channel, type Port } from '#actors/protocol/channel.ts';
import type { ThreadName } from '#actors/protocol/topic.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import { keepBeat } from '#runtime/threads/keep-beat.ts';
import type { Company } from '#test/simulation/door/company.ts';
import type { Machine } from '#test/simulation/machine/machine.ts';
import type { Room } from '#test/simulation/machine/room.ts';
import type { Serving } from '#test/simulation/node/errand.ts';
import { positionOfTenant, SimulatedHost } from '#test/simulation/node/host.ts';
import { openIntakeRoom, type SimulatedIntake } from '#test/simulation/node/intake/room.ts';
import type { Ledger } from '#test/simulation/node/ledger.ts';
import { openSealer } from '#test/simulation/node/sealer.ts';
import { openCourier } from '#test/simulation/node/tenants/courier.ts';
import { LivingTenants, type TenantState } from '#test/simulation/node/tenants/living.ts';
import { DIRECTORY } from '#test/simulation/node/tenants/position.ts';
import { openKeeperRoom, type KeeperRoom } from '#test/simulation/vault/keeper-room.ts';
import type { Operator } from '#test/simulation/vault/operator.ts';
import type { WholeSettings } from './settings.ts';

/** What runs in a thread that lives. */
interface Running<T> {
  readonly room: Room;
  readonly what: T;
}

interface Closing {
  close(): Promise<void>;
}

export class WholeThreads implements Company, Serving {
  readonly entries: readonly TenantEntry[];
  readonly #settings: WholeSettings;
  readonly #machine: Machine;
  readonly #ledger: Ledger;
  readonly #operator: Operator;
  #host: Running<SimulatedHost> | null = null;
  #intake: Running<SimulatedIntake> | null = null;
  #keeper: Running<KeeperRoom> | null = null;
  /** How many couriers there were, and how often the vault was opened. */
  couriers = 0;
  vaultOpenings = 0;
  /** What tenants with services have, once their host is closed. */
  tenants: readonly TenantState[] = [];

  constructor(settings: WholeSettings, machine: Machine, ledger: Ledger, operator: Operator) {
    this.#settings = settings;
    this.#machine = machine;
    this.#ledger = ledger;
    this.#operator = operator;
    const plain = Array.from({ length: settings.rooms.tenants }, (_, no) => ({
      no,
      position: positionOfTenant(no),
      shard: no % 2,
      state: 'active' as const,
      localdir: null,
    }));
    this.entries = [...plain, ...DIRECTORY];
  }

  get host(): SimulatedHost | null {
    return livingIn(this.#host);
  }

  get intake(): SimulatedIntake | null {
    return livingIn(this.#intake);
  }

  get keeper(): KeeperRoom | null {
    return livingIn(this.#keeper);
  }

  /** The room in which a thread serves; null while there is none. */
  roomOf(kind: ThreadName): Room | null {
    const running = { 'tenant-host': this.#host, 'intake-writer': this.#intake, 'vault-keeper': this.#keeper }[
      kind as string
    ];
    return running?.room.alive === true ? running.room : null;
  }

  guard(run: () => void): void {
    this.#machine.world.guard(run);
  }

  opened(room: Room, archive: Archive, channel: Channel): Closing {
    const ports = { settings: this.#settings.rooms, ledger: this.#ledger, channel, living: LivingTenants };
    const host = new SimulatedHost({ ...ports, onFatal: this.#onFatal }, archive);
    this.#ledger.reopened(host.found());
    host.resume();
    this.#host = { room, what: host };
    return {
      close: async () => {
        await host.close();
        this.tenants = host.tenants;
      },
    };
  }

  open(kind: ThreadName, port: Port, room: Room, pulse: Int32Array): void {
    if (kind === 'courier') {
      this.couriers++;
      openCourier(port);
      return;
    }
    const channel = new Channel(port, kind, 'main');
    keepBeat(channel, new Pulse(pulse));
    let running: Closing | null = null;
    channel.answer('thread.drain', async () => {
      await running?.close();
      return null;
    });
    if (kind === 'audit-sealer')
      channel.answer('audit.open', () => {
        running = this.#openSealer(channel);
        return null;
      });
    else if (kind === 'intake-writer')
      channel.answer('intake.open', async () => {
        running = await this.#openIntake(channel, room);
        return { replayed: 0 };
      });
    else if (kind === 'vault-keeper')
      channel.answer('vault.open', async () => {
        running = await this.#openVault(channel, room);
        return null;
      });
    else throw new Error(`nothing opens a ${kind}`);
  }

  #openSealer(channel: Channel): Closing {
    const onWorse = (what: string): void => this.#machine.world.fail(new Error(what));
    return openSealer({ settings: this.#settings.rooms, channel, onFatal: this.#onFatal, onWorse });
  }

  async #openIntake(channel: Channel, room: Room): Promise<Closing> {
    const intake = await openIntakeRoom({ settings: this.#settings.rooms, channel, onFatal: this.#onFatal });
    this.#intake = { room, what: intake };
    return intake;
  }

  async #openVault(channel: Channel, room: Room): Promise<Closing> {
    const { world } = this.#machine;
    const record = (): Promise<void> | null =>
      this.#settings.vault.awaitsAudit
        ? new Promise((resolve) => void world.after(world.latencyMs(), world.here(), 'recorded', resolve))
        : null;
    const ports = { settings: this.#settings.vault, channel, onFatal: this.#onFatal, record };
    const keeper = await openKeeperRoom({ ...ports, keys: this.#operator.keys() });
    // A machine that falls meanwhile has opened nothing.
    if (!room.alive) return keeper;
    this.#operator.opened();
    this.vaultOpenings++;
    this.#keeper = { room, what: keeper };
    return keeper;
  }

  readonly #onFatal = (error: Error): void => this.#machine.giveUp(error);
}

const livingIn = <T>(running: Running<T> | null): T | null => (running?.room.alive === true ? running.what : null);
