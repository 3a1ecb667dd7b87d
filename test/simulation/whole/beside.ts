/** Callers of a whole node beside those of its door: turns of tenants, visitors of forms, customers of tenants with services, and clients of the vault, while one of its threads ends. */
import type { ThreadName } from '#actors/protocol/topic.ts';
import type { Archive } from '#storage/archive.ts';
import type { Channel, Port } from '#actors/protocol/channel.ts';
import type { DoorNode } from '#test/simulation/door/node.ts';
import type { Beside } from '#test/simulation/door/run.ts';
import type { Machine } from '#test/simulation/machine/machine.ts';
import { Room } from '#test/simulation/machine/room.ts';
import type { Counts } from '#test/simulation/machine/run-on-machine.ts';
import type { World } from '#test/simulation/machine/world.ts';
import type { Errand } from '#test/simulation/node/errand.ts';
import { Visitors } from '#test/simulation/node/intake/visitors.ts';
import { Ledger } from '#test/simulation/node/ledger.ts';
import { judgeLog } from '#test/simulation/node/sealer.ts';
import { Customers } from '#test/simulation/node/tenants/customers.ts';
import { Turns } from '#test/simulation/node/turns.ts';
import { Clients } from '#test/simulation/vault/clients.ts';
import { judgeDisk } from '#test/simulation/vault/judge-disk.ts';
import { STATE_DIR } from '#test/simulation/vault/keeper-room.ts';
import { Operator } from '#test/simulation/vault/operator.ts';
import { Random } from '#test/kit/random.ts';
import type { WholeSettings } from './settings.ts';
import { WholeThreads } from './threads.ts';

/** Those that end here; a host ends as the callers of the door have it. */
const ENDING = ['rate-keeper', 'audit-sealer', 'vault-keeper', 'intake-writer', 'courier'] as const;
const WAIT_MS = 20;

export class WholeBeside implements Beside {
  readonly #settings: WholeSettings;
  readonly #world: World;
  readonly #machine: Machine;
  readonly #random: Random;
  readonly #outside = new Room('clients');
  readonly #ledger: Ledger;
  readonly #operator: Operator;
  readonly #threads: WholeThreads;
  readonly #turns: Turns;
  readonly #visitors: Visitors;
  readonly #customers = new Customers();
  readonly #clients: Clients;
  node: DoorNode | null = null;
  #asked = 0;
  /** What was asked for and is not answered, and in which room it is; null while none serves. */
  readonly #waiting = new Map<number, { readonly errand: Errand; room: Room | null }>();
  #threadEnds = 0;
  #isOver = false;

  constructor(settings: WholeSettings, world: World, machine: Machine) {
    this.#settings = settings;
    this.#world = world;
    this.#machine = machine;
    const random = (this.#random = new Random(settings.rooms.seed ^ 0x301e));
    this.#ledger = new Ledger(settings.rooms.tenants);
    this.#operator = new Operator(settings.vault, random);
    this.#threads = new WholeThreads(settings, machine, this.#ledger, this.#operator);
    this.#turns = new Turns(settings.rooms, random);
    this.#visitors = new Visitors(settings.rooms);
    this.#clients = new Clients({
      settings: settings.vault,
      world,
      random,
      outside: this.#outside,
      operator: this.#operator,
      keeper: () => this.#threads.keeper,
      room: () => this.#threads.roomOf('vault-keeper')!,
      reveal: async (name) => (await this.node!.channel('vault-keeper')!.ask('vault.reveal', { name })).value,
      hasFault: () => machine.hasFault,
    });
    machine.disk.install(STATE_DIR);
  }

  get entries(): WholeThreads['entries'] {
    return this.#threads.entries;
  }

  open(kind: ThreadName, port: Port, room: Room, pulse: Int32Array): void {
    this.#threads.open(kind, port, room, pulse);
  }

  opened(room: Room, archive: Archive, channel: Channel): { close(): Promise<void> } {
    return this.#threads.opened(room, archive, channel);
  }

  counts(): Counts {
    const { acknowledgements, undone } = this.#ledger;
    const rooms = {
      turnsAnswered: acknowledgements,
      submissionsAnswered: this.#visitors.answered,
      ordersAnswered: this.#customers.answered,
      secretsAcknowledged: this.#clients.acknowledged,
      webhooks: this.#machine.receiver.arrivals.length,
      vaultOpenings: this.#threads.vaultOpenings,
    };
    const { turnsAnswered, submissionsAnswered, ordersAnswered, secretsAcknowledged } = rooms;
    return {
      threadEnds: this.#threadEnds,
      acknowledged: turnsAnswered + submissionsAnswered + ordersAnswered + secretsAcknowledged,
      undone: undone + this.#clients.undone,
      reached: rooms,
    };
  }

  async begin(): Promise<void> {
    // Shares whose answer gets lost are lost for good, and the vault with them.
    if (this.#settings.vault.seal === 'shamir') await this.#clients.init();
    this.#clients.begin();
    for (let no = 0; no < this.#settings.rooms.clients; no++) this.#ask();
    this.#endSometime();
  }

  fell(): void {
    this.node = null;
    this.#clients.lost();
    this.#lose(() => true);
  }

  /** Also asks anew for what went with a thread that has ended. */
  isDone(): boolean {
    this.#lose(({ room }) => room?.alive === false);
    return this.#asked >= this.#settings.rooms.turns && this.#waiting.size === 0 && this.#clients.isDone;
  }

  get isQuiet(): boolean {
    const { host, intake, keeper } = this.#threads;
    return host !== null && intake !== null && keeper !== null && host.isQuiet && intake.waiting === 0;
  }

  async judgeServing(): Promise<void> {
    this.#isOver = true;
    await this.#clients.judge();
  }

  async judgeClosed(): Promise<void> {
    const { tenants, couriers } = this.#threads;
    await Promise.all(this.#ledger.events.map((all, tenant) => judgeLog(tenant, all)));
    await this.#visitors.judge(tenants);
    this.#customers.judge(tenants, this.#machine.receiver.arrivals, couriers);
    judgeDisk(this.#machine.disk, this.#settings.vault, this.#clients.everWritten);
  }

  #lose(isLost: (waiting: { readonly room: Room | null }) => boolean): void {
    for (const [no, waiting] of this.#waiting)
      if (isLost(waiting)) {
        this.#waiting.delete(no);
        this.#ask();
      }
  }

  #ask(): void {
    const thinkMs = this.#random.chance(0.5) ? 0 : this.#world.latencyMs();
    this.#world.after(thinkMs, this.#outside, 'client', () => {
      if (this.#asked >= this.#settings.rooms.turns) return;
      const no = ++this.#asked;
      this.#waiting.set(no, { errand: this.#errand(no), room: null });
      this.#begin(no);
    });
  }

  #errand(no: number): Errand {
    const random = this.#random;
    const kind = random.below(3);
    if (kind === 0) return this.#visitors.errand(random, no);
    return kind === 1 ? this.#customers.errand(random, no) : this.#turns.errand(no);
  }

  #begin(no: number): void {
    const waiting = this.#waiting.get(no);
    if (waiting === undefined) return;
    const { errand } = waiting;
    const room = this.#threads.roomOf(errand.to);
    if (room === null) return void this.#world.after(WAIT_MS, this.#outside, 'client waits', () => this.#begin(no));
    waiting.room = room;
    this.#world.after(this.#world.latencyMs(), room, errand.line, () => {
      // A node that has begun to close has answered everything.
      if (this.#threads.roomOf(errand.to) === room) errand.take(this.#threads, () => this.#reply(no));
    });
  }

  #reply(no: number): void {
    if (this.#world.room?.alive === false) return;
    this.#world.after(this.#world.latencyMs(), this.#outside, `reply ${no}`, () => {
      if (this.#waiting.delete(no)) this.#ask();
    });
  }

  #endSometime(): void {
    const random = this.#random;
    this.#world.after(random.below(1500), this.#outside, 'a thread may end', () => {
      if (this.#isOver || this.#threadEnds >= this.#settings.rooms.falls) return;
      const kind = random.pick(ENDING);
      const { node } = this;
      if (node?.isOpen === true && node.endThread(kind)) {
        this.#threadEnds++;
        if (kind === 'vault-keeper') this.#clients.lost();
      }
      this.#endSometime();
    });
  }
}
