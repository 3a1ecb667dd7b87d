/**
 * Secrets that a checkout names and the vault keeps for each tenant (`vault:<name>`): read when they are needed and kept for a
 * minute, so that a new one is used soon. While the vault is away, known ones stay valid.
 */
import { limits } from '#config/limits.ts';
import type { Secret } from '#config/reference-name.ts';
import type { Log } from './activation.ts';
import type { Clock } from '#actors/kit/clock.ts';

export interface SecretPorts {
  /** The service whose webhooks need them, for the log. */
  readonly service: string;
  readonly clock: Clock;
  readonly log: Log;
  /** The newest version; null for a secret that does not exist. Rejects while the vault does not answer. */
  read(name: string): Promise<string | null>;
  after(ms: number, run: () => void): void;
  /** Deliveries that found no secret are to be taken again. */
  askAgain(): void;
}

interface Kept {
  readonly value: string | null;
  readonly atMs: number;
}

export class Secrets {
  readonly #ports: SecretPorts;
  readonly #kept = new Map<string, Kept>();
  readonly #asking = new Map<string, Promise<string | null>>();
  readonly #missed = new Set<string>();

  constructor(ports: SecretPorts) {
    this.#ports = ports;
  }

  /** The secret; null when the vault does not have it. Rejects when the vault has never answered. */
  async of(secret: Secret): Promise<string | null> {
    if (typeof secret === 'string') return secret;
    const kept = this.#kept.get(secret.vault);
    if (kept !== undefined && this.#isYoung(kept)) return kept.value;
    try {
      return await this.#ask(secret.vault);
    } catch (error) {
      if (kept === undefined) throw error;
      return kept.value;
    }
  }

  /** The secret as known now; null when it is not known yet: then it is read, and `askAgain` is called when to ask again. */
  known(secret: Secret): string | null {
    if (typeof secret === 'string') return secret;
    const kept = this.#kept.get(secret.vault);
    const value = kept?.value ?? null;
    if (value === null) this.#lookFor(secret.vault);
    else if (!this.#isYoung(kept!)) this.#ask(secret.vault).catch(() => undefined); // the old one is used meanwhile
    return value;
  }

  #isYoung({ atMs }: Kept): boolean {
    return this.#ports.clock.now() < atMs + limits.content.secretKeptMs;
  }

  #ask(name: string): Promise<string | null> {
    const asking = this.#asking.get(name);
    if (asking !== undefined) return asking;
    const begun = this.#ports
      .read(name)
      .then((value) => {
        this.#kept.set(name, { value, atMs: this.#ports.clock.now() });
        return value;
      })
      .finally(() => this.#asking.delete(name));
    this.#asking.set(name, begun);
    return begun;
  }

  /** Reads a secret, and calls `askAgain` when it is there, or after a pause when it was not. */
  #lookFor(name: string): void {
    const told = (): void => {
      this.#missed.delete(name);
      this.#ports.askAgain();
    };
    const later = (why: string): void => {
      if (this.#missed.has(name)) return;
      this.#missed.add(name);
      this.#ports.log.warn(
        { service: this.#ports.service, secret: `vault:${name}`, why },
        'webhook deliveries wait: the vault has not given their secret; it is read again from time to time',
      );
      this.#ports.after(limits.content.secretRetryMs, told);
    };
    if (this.#asking.has(name)) return;
    this.#ask(name).then(
      (value) => (value === null ? later('it is not in the vault') : told()),
      (error: unknown) => later((error as Error).message),
    );
  }
}
