/** The database that a caller has met before: its next connection refuses a server that is another one, or that has lost what an earlier one acknowledged. */
import { EngineRefused } from '../port.ts';
import { Session, type SessionOptions } from './session.ts';

export class KnownServer {
  readonly #options: SessionOptions;
  #system: string | null = null;
  /** The farthest place of the server's own log at which something was acknowledged. */
  #at = 0n;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /** Rejects as `Session.open`, and with EngineRefused. */
  async open(): Promise<Session> {
    const session = await Session.open(this.#options);
    const why = this.#whyNot(session);
    if (why !== null) {
      session.close();
      throw new EngineRefused(why);
    }
    this.#system = session.system;
    return session;
  }

  /** The session has acknowledged something. */
  heard({ at }: Session): void {
    if (at > this.#at) this.#at = at;
  }

  #whyNot({ system, at }: Session): string | null {
    if (this.#system !== null && system !== this.#system)
      return `it is database ${system}, and ${this.#system} was here before`;
    if (at < this.#at)
      return `its log ends at ${at}, and ${this.#at} was acknowledged: it was put back from an older copy`;
    return null;
  }
}
