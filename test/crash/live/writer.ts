/**
 * A writer of notes: creates, updates that move a row in and out of filters and rules, deletes, restores, envelopes. It knows each state that it has given
 * a note: where an answer was lost, the store says whether the write was kept.
 */
import { call, type Answer } from '#test/kit/test-node.ts';
import type { Random } from '#test/kit/random.ts';
import type { Notes, NoteState } from './notes.ts';
import { pause, type Caller, type World } from './world.ts';

const ROWS_MAX = 12;
const PAUSE_MS = 24;

/** A note of this writer as it was left last. */
interface Mine {
  readonly id: string;
  version: number;
  state: NoteState;
}

/** A note's next state. `row` is null for a note that is made. */
interface Step {
  readonly row: Mine | null;
  readonly state: NoteState;
}

export interface WriterPorts {
  readonly world: World;
  readonly notes: Notes;
  readonly service: Caller;
  /** Subjects of users that may own notes. */
  readonly owners: readonly string[];
  readonly random: Random;
  /** Called when a write has just been sent. */
  readonly sent: () => void;
  /** Called once a write was acknowledged, in that moment. */
  readonly acknowledged: () => void;
}

export class Writer {
  readonly #no: number;
  readonly #ports: WriterPorts;
  readonly #rows: Mine[] = [];
  #made = 0;
  /** Writes whose answer was lost: those that were kept, and those that were not. */
  readonly unanswered = { kept: 0, lost: 0 };

  constructor(no: number, ports: WriterPorts) {
    this.#no = no;
    this.#ports = ports;
  }

  /** Writes until it is told to rest; then nothing of it is on its way. */
  async write(rests: () => boolean): Promise<void> {
    while (!rests()) {
      await this.#one();
      await pause(this.#ports.random.below(PAUSE_MS));
    }
  }

  /** Makes a note that every subscriber sees. */
  async bell(): Promise<void> {
    await this.#carryOut([{ row: null, state: { ...this.#anyState(), title: `z${this.#title()}`, open: true } }]);
  }

  #one(): Promise<void> {
    const { random } = this.#ports;
    const living = this.#rows.filter(({ state }) => !state.isDeleted);
    const deleted = this.#rows.filter(({ state }) => state.isDeleted);
    const make = (): Step => ({ row: null, state: this.#anyState() });
    const change = (row: Mine): Step => ({ row, state: this.#moved(row.state) });
    if (living.length < 3) return this.#carryOut([make()]);
    const row = random.pick(living);
    const chance = random.below(100);
    if (chance < 15 && this.#rows.length < ROWS_MAX) return this.#carryOut([make()]);
    if (chance < 27) return this.#carryOut([{ row, state: { ...row.state, isDeleted: true } }]);
    if (chance < 37 && deleted.length > 0) {
      const back = random.pick(deleted);
      return this.#carryOut([{ row: back, state: { ...back.state, isDeleted: false } }]);
    }
    if (chance < 50) {
      const other = random.pick(living.filter((one) => one !== row));
      return this.#carryOut([change(row), change(other), make()]);
    }
    return this.#carryOut([change(row)]);
  }

  #title(): string {
    return ` ${this.#no}.${++this.#made}`;
  }

  #anyState(): NoteState {
    const { random, owners } = this.#ports;
    const title = `${random.pick('adgnqt'.split(''))}${this.#title()}`;
    return { title, owner: random.pick([null, ...owners]), open: random.chance(0.5), isDeleted: false };
  }

  /** Another title, and each of the other fields changed or not. */
  #moved({ owner, open }: NoteState): NoteState {
    const { random } = this.#ports;
    const next = this.#anyState();
    return { ...next, owner: random.chance(0.5) ? owner : next.owner, open: random.chance(0.4) ? open : next.open };
  }

  async #carryOut(steps: readonly Step[]): Promise<void> {
    const asking = this.#send(steps);
    this.#ports.sent();
    const answer = await asking.catch(() => null);
    const isAnswered = answer !== null && answer.status !== 503;
    if (isAnswered && answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`);
    if (isAnswered) {
      for (const { row } of steps) if (row !== null) this.#ports.notes.acknowledge(row.id, row.version + 1);
      this.#ports.acknowledged();
    }
    const ids = await Promise.all(steps.map((step) => this.#keptAs(step)));
    const kept = ids.filter((id) => id !== null);
    if (kept.length !== 0 && kept.length !== steps.length) throw new Error('a part of an envelope was kept');
    if (isAnswered && kept.length === 0) throw new Error(`an acknowledged write is lost: ${JSON.stringify(steps)}`);
    if (!isAnswered) this.unanswered[kept.length > 0 ? 'kept' : 'lost']++;
    if (kept.length > 0) this.#remember(steps, kept);
    if (isAnswered)
      for (const [n, { row }] of steps.entries()) if (row === null) this.#ports.notes.acknowledge(kept[n]!, 1);
  }

  #remember(steps: readonly Step[], ids: readonly string[]): void {
    const { notes } = this.#ports;
    const write = notes.nextWrite();
    for (const [n, { row, state }] of steps.entries()) {
      const mine = row ?? { id: ids[n]!, version: 0, state };
      mine.version++;
      mine.state = state;
      if (row === null) this.#rows.push(mine);
      notes.keep(mine.id, mine.version, state, write);
    }
  }

  #send(steps: readonly Step[]): Promise<Answer> {
    const [first, ...others] = steps;
    if (others.length > 0) return this.#ask('POST', '', { operations: steps.map(operationOf) });
    const { row, state } = first!;
    if (row === null) return this.#ask('POST', '/note', valuesOf(state));
    const path = `/note/id/${row.id}`;
    if (state.isDeleted) return this.#ask('DELETE', path);
    return row.state.isDeleted ? this.#ask('POST', `${path}/restore`) : this.#ask('PATCH', path, valuesOf(state));
  }

  #ask(method: string, path: string, body?: object): Promise<Answer> {
    const { world, service } = this.#ports;
    return call(world.gateway, method, `/data/rest${path}`, world.headers(service), body);
  }

  /** The id of a step's note where the step was kept; else null. */
  async #keptAs({ row, state }: Step): Promise<string | null> {
    if (row === null) {
      const found = await this.#read<{ data: { id: string }[] }>(`/note?title=${encodeURIComponent(state.title)}`);
      if (found!.data.length > 1) throw new Error(`made twice: ${state.title}`);
      return found!.data[0]?.id ?? null;
    }
    const there = await this.#read<{ data: { version: number }[] }>(`/note?deleted=true&id=${row.id}`);
    const { version } = there!.data[0]!;
    if (version !== row.version && version !== row.version + 1)
      throw new Error(`${row.id} has version ${version}, and had ${row.version}`);
    return version > row.version ? row.id : null;
  }

  /** Reads once the node is there again. */
  async #read<T>(path: string): Promise<T | null> {
    for (;;) {
      const answer = await this.#ask('GET', path).catch(() => null);
      if (answer?.status === 200) return answer.json;
      if (answer !== null && answer.status !== 503) throw new Error(`${answer.status} ${answer.text}`);
      await pause(PAUSE_MS);
    }
  }
}

const valuesOf = ({ title, owner, open }: NoteState) => ({ title, owner, open });

const operationOf = ({ row, state }: Step) =>
  row === null
    ? { action: 'create', data: { note: valuesOf(state) } }
    : { action: 'update', data: { note: { id: row.id, ...valuesOf(state) } } };
