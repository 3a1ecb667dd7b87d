/** A connection of one caller, on which calls wait for each other. */
import { OutcomeUnknown } from '../port.ts';
import type { Session } from './session.ts';

/** The caller has closed its connection: the call is not made again. */
export class LineClosed extends OutcomeUnknown {}

/** One connection, opened when it is needed, for one call at a time: two of one connection would be told apart by nothing when a wait is cancelled. */
export class Line {
  readonly #open: () => Promise<Session>;
  readonly #heard: (session: Session) => void;
  #session: Session | null = null;
  #calls: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  /** `heard` is told of each session that has acknowledged something. */
  constructor(open: () => Promise<Session>, heard: (session: Session) => void) {
    this.#open = open;
    this.#heard = heard;
  }

  /** Rejects as the call does, and with LineClosed. */
  run<T>(call: (session: Session) => Promise<T>): Promise<T> {
    const ran = this.#calls.then(async () => {
      if (this.#isClosed) throw new LineClosed('the store is closed here');
      if (this.#session?.isOpen !== true) this.#session = await this.#open();
      const given = await call(this.#session);
      this.#heard(this.#session);
      return given;
    });
    this.#calls = ran.catch(() => undefined);
    return ran;
  }

  /** Waits for the call under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#calls;
    this.#session?.close();
  }

  /** Waits for nothing: the outcome of the call under way is unknown. */
  cut(): void {
    this.#isClosed = true;
    this.#session?.close();
  }
}
