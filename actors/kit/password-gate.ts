/**
 * How many passwords are hashed at once in the whole process. argon2 runs on libuv's four threads, and so does every fsync of a
 * journal: with all four taken no tenant of the node would get an answer. The count is in shared memory; a hash without room waits.
 */
import { limits } from '#config/limits.ts';
import { Busy } from '#actors/protocol/busy.ts';

/** Too many hashes wait already. */
export class PasswordsBusy extends Busy {
  constructor() {
    super('too many passwords wait to be checked');
  }
}

/** Cells: runs in all, then the runs of each thread. */
export function createPasswordCells(threads: number): Int32Array<SharedArrayBuffer> {
  return new Int32Array(new SharedArrayBuffer(4 * (1 + threads)));
}

const ALL = 0;

/** Runs at once in the whole process, and those that wait on one thread. */
export interface GateBounds {
  readonly runningMax: number;
  readonly waitingMax: number;
}

const { passwordsRunningMax, passwordsWaitingMax } = limits.identity;
const OWN_HASHES: GateBounds = { runningMax: passwordsRunningMax, waitingMax: passwordsWaitingMax };

export class PasswordGate {
  readonly #cells: Int32Array<SharedArrayBuffer>;
  readonly #slot: number;
  readonly #runningMax: number;
  readonly #waitingMax: number;
  readonly #waiting: (() => void)[] = [];
  #listening = false;

  /** The gate of thread `no`. Hashes that an earlier thread of this number had running when it died no longer count. */
  constructor(cells: Int32Array<SharedArrayBuffer>, no: number, bounds: GateBounds = OWN_HASHES) {
    this.#runningMax = bounds.runningMax;
    this.#waitingMax = bounds.waitingMax;
    this.#cells = cells;
    this.#slot = 1 + no;
    const left = Atomics.exchange(cells, this.#slot, 0);
    if (left > 0) this.#giveBack(left);
  }

  /** Runs `hash` when there is room. Throws PasswordsBusy when the queue of this thread is full. */
  async run<T>(hash: () => Promise<T>): Promise<T> {
    if (this.#waiting.length > 0 || !this.#enter()) await this.#wait();
    try {
      return await hash();
    } finally {
      Atomics.sub(this.#cells, this.#slot, 1);
      this.#giveBack(1);
      this.#admit();
    }
  }

  #wait(): Promise<void> {
    if (this.#waiting.length >= this.#waitingMax) throw new PasswordsBusy();
    const turn = new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#admit();
    return turn;
  }

  #enter(): boolean {
    for (;;) {
      const running = Atomics.load(this.#cells, ALL);
      if (running >= this.#runningMax) return false;
      if (Atomics.compareExchange(this.#cells, ALL, running, running + 1) === running) break;
    }
    Atomics.add(this.#cells, this.#slot, 1);
    return true;
  }

  #giveBack(runs: number): void {
    Atomics.sub(this.#cells, ALL, runs);
    Atomics.notify(this.#cells, ALL);
  }

  /** Starts hashes that wait, first come first served; then listens for the next free place. */
  #admit(): void {
    while (this.#waiting.length > 0 && this.#enter()) this.#waiting.shift()!();
    if (this.#waiting.length > 0) this.#listen();
  }

  #listen(): void {
    if (this.#listening) return;
    const heard = Atomics.waitAsync(this.#cells, ALL, this.#runningMax);
    if (!heard.async) {
      setImmediate(() => this.#admit());
      return;
    }
    this.#listening = true;
    void heard.value.then(() => {
      this.#listening = false;
      this.#admit();
    });
  }
}
