/** How this node stands with its vault, as the last question for its identities showed; told once each time that it changes. */
import type { Log } from '#actors/host/activation.ts';

/** `away`: what was handed out counts until its end. `refused`: the vault does not take this node; nothing is handed out. */
export type StandingKind = 'unknown' | 'up' | 'away' | 'refused';

export class Standing {
  readonly #log: Log;
  #kind: StandingKind = 'unknown';
  #why = '';

  constructor(log: Log) {
    this.#log = log;
  }

  get kind(): StandingKind {
    return this.#kind;
  }

  /** The vault's own words where it refuses, or why it could not be asked. */
  get why(): string {
    return this.#why;
  }

  up(): void {
    if (this.#changes('up', '')) this.#log.info({}, 'the vault knows this node');
  }

  away(why: string): void {
    if (this.#changes('away', why))
      this.#log.warn({ why }, 'the vault does not answer: workloads keep what they have until it ends');
  }

  refused(why: string): void {
    if (this.#changes('refused', why))
      this.#log.error(
        { why },
        'the vault refuses this node: workloads get nothing more\n    ask an operator (skep vault node list), then join again: skep agent init',
      );
  }

  #changes(kind: StandingKind, why: string): boolean {
    const changed = kind !== this.#kind;
    this.#kind = kind;
    this.#why = why;
    return changed;
  }
}
