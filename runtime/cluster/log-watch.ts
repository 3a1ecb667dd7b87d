/** Tells the operator of a database that does not acknowledge, and when it does again: what happened, what it means, what to do. */
import { limits } from '#config/limits.ts';
import type { FlushWatch } from '#storage/engine-journals/appender.ts';
import type { Degraded } from '#actors/protocol/degraded.ts';

const { logLateMs, logWaitingBytesMax } = limits.storage;

export interface LogWatchPorts {
  /** The host, and the database without its password. */
  readonly host: string;
  readonly database: string;
  readonly degraded: Degraded;
  /** Takes the milliseconds of each call that added entries. */
  readonly onSynced: (ms: number) => void;
  /** Monotonic, milliseconds. */
  readonly fine: () => number;
}

export class LogWatch implements FlushWatch {
  readonly #ports: LogWatchPorts;
  readonly #name: string;
  #sentAt: number | null = null;
  #told: string | null = null;

  constructor(ports: LogWatchPorts) {
    this.#ports = ports;
    this.#name = `log of ${ports.host}`;
  }

  sent(): void {
    this.#sentAt = this.#ports.fine();
  }

  settled(ms: number): void {
    this.#sentAt = null;
    this.#ports.onSynced(ms);
    this.well();
  }

  /** A call had no outcome. */
  failed(why: Error): void {
    this.#tell(why.message);
  }

  /** To be called again and again: a database may also be silent. */
  look(): void {
    if (this.#sentAt === null || this.#told !== null || this.#ports.fine() - this.#sentAt < logLateMs) return;
    this.#tell('it takes long to answer, as one whose standby is away does');
  }

  well(): void {
    if (this.#told === null) return;
    this.#told = null;
    this.#ports.degraded.clear('journal', this.#name);
  }

  #tell(why: string): void {
    if (why === this.#told) return;
    this.#told = why;
    const reason =
      `the database ${this.#ports.database} does not acknowledge (${why}): writes wait for it, and get 503 once ${logWaitingBytesMax / 2 ** 20} MiB wait; ` +
      'reads go on while the lease of this node lasts, and nothing that was answered is lost. See to the database, its standby and the network to it (skep cluster check): the node goes on by itself';
    this.#ports.degraded.report({ scope: 'journal', name: this.#name, reason, lasts: 'thread' });
  }
}
