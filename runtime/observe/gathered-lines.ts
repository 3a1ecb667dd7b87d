/**
 * Writes lines of a busy log together: one write(2) for each line cost intake's thread a tenth of its time. The lines of one turn of the event loop
 * leave at its end, in pieces that a pipe takes whole, so that the lines of several threads still do not mix.
 */

/** PIPE_BUF of Linux: a pipe never splits a write up to it (POSIX write()). */
const PIECE_BYTES_MAX = 4096;

export interface LineSink {
  write(text: string): unknown;
}

export class GatheredLines implements LineSink {
  readonly #sink: LineSink;
  readonly #later: (run: () => void) => void;
  #piece = '';
  #bytes = 0;
  #scheduled = false;

  /** `later` runs a function at the end of the turn (setImmediate). */
  constructor(sink: LineSink, later: (run: () => void) => void = setImmediate) {
    this.#sink = sink;
    this.#later = later;
  }

  /** Takes one line with its newline. One that is longer than a piece leaves alone. */
  write(line: string): void {
    const bytes = Buffer.byteLength(line);
    if (this.#bytes + bytes > PIECE_BYTES_MAX) this.flush();
    this.#piece += line;
    this.#bytes += bytes;
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#later(() => {
      this.#scheduled = false;
      this.flush();
    });
  }

  flush(): void {
    if (this.#piece === '') return;
    const piece = this.#piece;
    this.#piece = '';
    this.#bytes = 0;
    this.#sink.write(piece);
  }
}
