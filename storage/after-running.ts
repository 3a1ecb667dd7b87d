/**
 * A deadline in time for which the process has run. A process that stood still (a stop signal, a sleeping machine, a paused virtual machine) finds its timers due
 * before it reads what the kernel has answered meanwhile, so that a disk would be taken for dead which was not asked. So the time is counted in pieces: a stop, however long, costs one.
 */
const PIECES = 10;

const piecesOf = (ms: number): number => Math.max(1, Math.min(PIECES, Math.floor(ms)));

/** Calls `late` once after so many milliseconds, unless the function that it gives is called before. */
export function afterRunning(ms: number, late: () => void): () => void {
  const pieces = piecesOf(ms);
  let left = pieces;
  const timer = setTimeout(() => {
    if (--left === 0) late();
    else timer.refresh();
  }, ms / pieces);
  return () => clearTimeout(timer);
}

/** The same for work that begins again and again: one timer, which no write has to make anew. It keeps no process alive. */
export class RunningWatch {
  readonly #timer: NodeJS.Timeout;
  readonly #pieces: number;
  #left: number;

  /** `late`: called where the time since the last `begin` is over. */
  constructor(ms: number, late: () => void) {
    this.#left = this.#pieces = piecesOf(ms);
    this.#timer = setTimeout(() => {
      if (--this.#left === 0) late();
      else this.#timer.refresh();
    }, ms / this.#pieces).unref();
  }

  begin(): void {
    this.#left = this.#pieces;
    this.#timer.refresh();
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
