/**
 * Keeps the keys of the issuer that the platform file trusts (`jwks.issuers.iam: <URL>`): fetched at the start, every few
 * minutes, and when a token names a key that nobody here has seen. The last good set stays while the issuer is away.
 */
import { limits } from '#config/limits.ts';
import type { Log } from '#actors/host/activation.ts';
import type { PublicKeyRecord } from '#actors/kit/token/ring.ts';

export interface JwksPorts {
  /** One look at the issuer; throws when there is no good answer. */
  fetch(stopped: AbortSignal): Promise<readonly PublicKeyRecord[]>;
  /** Takes every good answer, also one that has not changed: a thread that missed the last one gets it now. */
  share(keys: readonly PublicKeyRecord[]): Promise<void>;
  /** Hears the next call for an unknown key, an earlier one being answered; gives the function that stops listening. */
  hear(then: () => void): () => void;
  /** Runs a function once later; gives the function that calls it off. */
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

  /** Looks for the first time; settles when that has succeeded or failed, and goes on by itself. Never throws. */
  async start(): Promise<void> {
    await this.refresh();
    this.#listen();
  }

  /** Looks now; who asks while a look is under way waits for that one. */
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
      this.#ports.log.warn({ err: error }, 'the keys of the trusted issuer could not be read; the last ones stay');
    }
    if (!this.#stopped.signal.aborted) this.#callOff = this.#ports.after(this.#pauseMs(), () => void this.refresh());
  }

  /** Twice as long after every failure, up to the refresh itself. */
  #pauseMs(): number {
    const { refreshMs, retryMs } = limits.jwks;
    return this.#failures === 0 ? refreshMs : Math.min(refreshMs, retryMs * 2 ** (this.#failures - 1));
  }

  /** One call is heard, then none for a while: tokens with invented keys must not become a load on the issuer. */
  #listen(): void {
    if (this.#stopped.signal.aborted) return;
    this.#deafen = this.#ports.hear(() => {
      void this.refresh();
      this.#deafen = this.#ports.after(limits.jwks.unknownKeyMs, () => this.#listen());
    });
  }
}
