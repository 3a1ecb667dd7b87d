/**
 * Keeps the keys of the issuer that the platform file trusts (`jwks.issuers.iam: <URL>`): fetched at the start, every few
 * minutes, and when a token names a key that this node does not know. The last good set stays in use while the issuer is away.
 */
import { limits } from '#config/limits.ts';
import type { Log } from '#actors/host/activation.ts';
import type { PublicKeyRecord } from '#actors/kit/token/ring.ts';

export interface JwksPorts {
  /** Fetches the issuer's keys once; throws when there is no good answer. */
  fetch(stopped: AbortSignal): Promise<readonly PublicKeyRecord[]>;
  /** Hands the keys to the threads after every good answer, even an unchanged one: a thread that missed the last one gets it now. */
  share(keys: readonly PublicKeyRecord[]): Promise<void>;
  /** Calls `then` at the next request of a thread for an unknown key; requests made before count as answered. Gives the function that stops listening. */
  hear(then: () => void): () => void;
  /** Runs a function once after `ms`; gives the function that cancels it. */
  after(ms: number, run: () => void): () => void;
  readonly log: Log;
}

export class JwksClient {
  readonly #ports: JwksPorts;
  readonly #stopped = new AbortController();
  #callOff = (): void => undefined;
  #deafen = (): void => undefined;
  #failures = 0;
  #running: Promise<void> | null = null;

  constructor(ports: JwksPorts) {
    this.#ports = ports;
  }

  /** Fetches for the first time and then goes on by itself. Resolves when the first fetch has succeeded or failed; never throws. */
  async start(): Promise<void> {
    await this.refresh();
    this.#listen();
  }

  /** Fetches now; a call during a fetch shares it. */
  refresh(): Promise<void> {
    return (this.#running ??= this.#refresh().finally(() => (this.#running = null)));
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#callOff();
    this.#deafen();
    await this.#running;
  }

  async #refresh(): Promise<void> {
    this.#callOff();
    try {
      const keys = await this.#ports.fetch(this.#stopped.signal);
      await this.#ports.share(keys);
      this.#failures = 0;
    } catch (error) {
      if (this.#stopped.signal.aborted) return;
      this.#failures++;
      this.#ports.log.warn(
        { err: error },
        'the keys of the trusted issuer (jwks.issuers.iam) could not be fetched: those fetched last stay in use, and the node tries again',
      );
    }
    if (!this.#stopped.signal.aborted) this.#callOff = this.#ports.after(this.#pauseMs(), () => void this.refresh());
  }

  /** The pause doubles after every failure, up to the refresh interval. */
  #pauseMs(): number {
    const { refreshMs, retryMs } = limits.jwks;
    return this.#failures === 0 ? refreshMs : Math.min(refreshMs, retryMs * 2 ** (this.#failures - 1));
  }

  /** Answers one request for an unknown key, then none for a while: tokens with invented key ids must not become load on the issuer. */
  #listen(): void {
    if (this.#stopped.signal.aborted) return;
    this.#deafen = this.#ports.hear(() => {
      void this.refresh();
      this.#deafen = this.#ports.after(limits.jwks.unknownKeyMs, () => this.#listen());
    });
  }
}
