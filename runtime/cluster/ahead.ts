/** A connection that is opened before it is needed. It is used while it is young: of an old one the way to its server may be gone without a word, and it would be waited for in vain. */
export interface Closable {
  close(): unknown;
}

export interface AheadPorts<T extends Closable> {
  /** Null where there is nothing to connect to. */
  readonly open: () => Promise<T | null>;
  readonly msMax: number;
  /** Monotonic, milliseconds. */
  readonly now: () => number;
}

interface Opened<T> {
  readonly given: T;
  readonly at: number;
}

export class Ahead<T extends Closable> {
  readonly #ports: AheadPorts<T>;
  #opened: Promise<Opened<T> | null> = Promise.resolve(null);

  constructor(ports: AheadPorts<T>) {
    this.#ports = ports;
  }

  /** Opens one in place of what was open. Where that fails nothing is ahead: who needs it then opens it, and is told why it does not open. */
  async open(): Promise<void> {
    const before = this.#opened;
    this.#opened = this.#open().catch(() => null);
    (await before)?.given.close();
    await this.#opened;
  }

  /** What is open, or is being opened, and is the caller's from then on; null where there is nothing young enough. */
  async take(): Promise<T | null> {
    const taken = this.#opened;
    this.#opened = Promise.resolve(null);
    const opened = await taken;
    if (opened === null) return null;
    if (this.#ports.now() - opened.at < this.#ports.msMax) return opened.given;
    opened.given.close();
    return null;
  }

  async #open(): Promise<Opened<T> | null> {
    const given = await this.#ports.open();
    return given === null ? null : { given, at: this.#ports.now() };
  }
}
