/** The standing of this node with its vault, from the last request for its identities; logged each time that it changes. */
import type { Log } from '#actors/host/activation.ts';

/** `away`: issued certificates stay valid until they expire. `refused`: the vault does not accept this node, and nothing more is issued. */
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

  /** The vault's own words where it refuses, or why it could not be reached. */
  get why(): string {
    return this.#why;
  }

  up(): void {
    if (this.#changes('up', '')) this.#log.info({}, 'the vault answers and accepts this node');
  }

  away(why: string): void {
    if (this.#changes('away', why))
      this.#log.warn(
        { why },
        'the vault does not answer: workloads keep their certificates until these expire; the agent tries again',
      );
  }

  refused(why: string): void {
    if (this.#changes('refused', why))
      this.#log.error(
        { why },
        'the vault refuses this node: no certificates are issued to workloads any more\n    ask an operator (skep vault node list), then join again: skep agent init',
      );
  }

  #changes(kind: StandingKind, why: string): boolean {
    const changed = kind !== this.#kind;
    this.#kind = kind;
    this.#why = why;
    return changed;
  }
}
