/**
 * Bounds how many connections the doors hold at once: the limit of open files less a reserve for what the node itself has to open. Past the
 * bound a connection is closed as soon as it is accepted. Otherwise a caller that only connects could take every descriptor, and then no spare
 * host starts, no file opens, and the node ends. Costs nothing per request.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { limits } from '#config/limits.ts';
import type { Degraded } from '#actors/protocol/degraded.ts';
import { oneSample, type MetricFamily } from '#runtime/observe/exposition.ts';

export interface BudgetPorts {
  readonly degraded: Degraded;
  /** Runs a function after so many milliseconds. */
  after(ms: number, run: () => void): void;
}

export class ConnectionBudget {
  readonly max: number;
  readonly #ports: BudgetPorts | null;
  #open = 0;
  #refused = 0;
  #isReported = false;

  /** Without ports nothing is reported. */
  constructor(max: number, ports: BudgetPorts | null = null) {
    this.max = max;
    this.#ports = ports;
  }

  get open(): number {
    return this.#open;
  }

  get refused(): number {
    return this.#refused;
  }

  /** Counts a new connection, until left() is called; false when the door has to close it. */
  came(): boolean {
    if (++this.#open <= this.max) return true;
    this.#refused++;
    this.#report();
    return false;
  }

  left(): void {
    this.#open--;
  }

  families(): MetricFamily[] {
    return [
      oneSample('skep_connections', 'gauge', 'Connections that the doors hold, operations left out.', this.#open),
      oneSample('skep_connections_max', 'gauge', 'So many at most: the limit of open files less a reserve.', this.max),
      oneSample(
        'skep_connections_refused_total',
        'counter',
        'Connections that were closed for want of room.',
        this.#refused,
      ),
    ];
  }

  #report(): void {
    if (this.#isReported || this.#ports === null) return;
    this.#isReported = true;
    const { degraded } = this.#ports;
    const reason =
      `the doors hold ${this.max} connections, as many as the limit of open files leaves room for; further ones are closed at once. ` +
      'Raise the limit (ulimit -n, LimitNOFILE) and restart, or find out which callers hold them';
    degraded.report({ scope: 'descriptors', name: 'connections', reason, lasts: 'cleared' });
    this.#clearLater(this.#refused);
  }

  /** Ends the report after a while without a refused connection. */
  #clearLater(refused: number): void {
    this.#ports!.after(limits.door.refusedQuietMs, () => {
      if (this.#refused !== refused) {
        this.#clearLater(this.#refused);
        return;
      }
      this.#isReported = false;
      this.#ports!.degraded.clear('descriptors', 'connections');
    });
  }
}

/** How many connections the limit of open files leaves room for now; Infinity where the system does not show that limit. */
export function roomForConnections(): number {
  const limit = openFilesMax();
  if (limit === null) return Number.POSITIVE_INFINITY;
  const used = readdirSync('/proc/self/fd').length;
  return Math.max(limits.door.connectionsMin, limit - used - limits.door.descriptorsReserved);
}

/** proc(5), /proc/pid/limits: the soft limit, which Node has raised to the hard one. */
function openFilesMax(): number | null {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? null : Number(soft);
  } catch {
    return null;
  }
}
