/**
 * The operations listener of a node that waits while another one serves its log. The gateway is not open then: a load balancer that only connects would take it for a node that serves, and what it
 * sent would be refused. Three questions are those of the operations listener (operations.ts): the same callers, one small answer, and nothing to hurt.
 */
import { parseBind } from '#config/bind.ts';
import { limits } from '#config/limits.ts';
import type { Platform } from '#config/platform.ts';
import type { Log } from '#actors/host/activation.ts';
import { ConnectionBudget } from './connection-budget.ts';
import { expose, oneSample, type MetricFamily } from '#runtime/observe/exposition.ts';
import { openDoor } from './open-door.ts';
import { operations } from './operations.ts';
import type { Door } from './port.ts';

/** How far this node is behind the log: entries, and milliseconds since it had all that was confirmed; and what keeps it from following. */
interface StandbyState {
  readonly follows: { readonly behind: number; readonly ageMs: number | null } | null;
  readonly fault: string | null;
}

/** The link of its doors to the node that serves. */
interface LinkState {
  /** Null where the doors are closed. */
  readonly linked: boolean | null;
  readonly fault: string | null;
  families(): MetricFamily[];
}

/** What of a node is shown besides while it waits. */
interface StandbyParts {
  /** Whether its threads are started. */
  readonly isReady: () => boolean;
  /** Null where it has none. */
  readonly link: LinkState | null;
  /** What its listeners count; nothing while they are closed. */
  readonly doors: () => readonly MetricFamily[];
  /** Why its listeners are closed although it has a link; null where they are open, and where it has none. */
  readonly closed: () => string | null;
}

/** What shows that a node waits. */
interface Standing {
  show(serving: string, state: () => StandbyState): Promise<string | null>;
  takesOver(): void;
}

export class StandbyDoor {
  readonly #platform: Platform;
  readonly #log: Log;
  #door: Promise<Door> | null = null;
  #serving: string | null = null;
  #state: () => StandbyState = () => ({ follows: null, fault: null });
  #parts: StandbyParts = { isReady: () => false, link: null, doors: () => [], closed: () => null };

  constructor(platform: Platform, log: Log) {
    this.#platform = platform;
    this.#log = log;
  }

  /** This door, which also says whether the threads of the node are started, and whether it has its link. */
  with(parts: StandbyParts): Standing {
    this.#parts = parts;
    return this;
  }

  /** Names the node that serves. Opens the listener the first time; gives its URL, or null where the platform file closes it. Throws when the port is taken. */
  async show(serving: string, state: () => StandbyState): Promise<string | null> {
    this.#serving = serving;
    this.#state = state;
    const bind = this.#platform.listeners.operations;
    if (bind === null) return null;
    const { host, port } = parseBind(bind)!;
    this.#door ??= this.#open(host, port);
    const near = host.includes(':') ? `[${host}]` : host;
    return `http://${near}:${(await this.#door).port}`;
  }

  /** The node takes the place: it is a standby until its own listeners open. */
  takesOver(): void {
    this.#serving = null;
  }

  /** Before the listeners of the node open. */
  async close(): Promise<void> {
    const door = this.#door;
    this.#door = null;
    await (await door)?.close();
  }

  #open(host: string, port: number): Promise<Door> {
    const handler = operations({
      state: { draining: false },
      isServing: () => false,
      degraded: { concernsAll: false, unlisted: 0, list: () => [] },
      standby: () => (this.#serving === null ? 'taking over' : this.#standing(this.#serving)),
      metrics: () => {
        const { doors, link } = this.#parts;
        const followed = this.#serving === null ? [] : figures(this.#state());
        return expose([...followed, ...(link?.families() ?? []), ...doors()]);
      },
      openMetrics: null,
      mailbox: null,
    });
    const connections = new ConnectionBudget(limits.door.operationsConnectionsMax);
    const onFault = (error: unknown): void =>
      this.#log.error({ err: error }, 'an exception escaped from the handling of a request: it was answered 500');
    return openDoor({ host, port, connections, onFault }, handler);
  }

  #standing(serving: string): string {
    const { closed, isReady, link } = this.#parts;
    const doors = closed() === null ? linkSaid(link) : `, doors closed: ${closed()}`;
    return `standby, ${serving} serves, ${said(this.#state())}${doors}${isReady() ? ', threads ready' : ''}`;
  }
}

/** How far it is behind is not known of a node that does not follow. */
function figures({ follows, fault }: StandbyState): MetricFamily[] {
  const whether = 'Whether this standby follows the log: 1, or 0 before its first look and while something keeps it.';
  const whetherIs = (value: number): MetricFamily => oneSample('skep_standby_follows', 'gauge', whether, value);
  if (follows === null || fault !== null) return [whetherIs(0)];
  const { behind, ageMs } = follows;
  const entries = 'Entries of the log that this standby does not have; the newest ones of each shard are among them.';
  const age = 'Since this standby had all that was confirmed.';
  return [
    whetherIs(1),
    oneSample('skep_standby_behind_entries', 'gauge', entries, behind),
    ...(ageMs === null ? [] : [oneSample('skep_standby_age_seconds', 'gauge', age, ageMs / 1000)]),
  ];
}

function said({ follows, fault }: StandbyState): string {
  if (fault !== null) return `does not follow: ${fault}`;
  if (follows === null) return 'begins to follow';
  const { behind, ageMs } = follows;
  const entries = `${behind} ${behind === 1 ? 'entry' : 'entries'} behind`;
  return ageMs === null
    ? `${entries}, and catches up`
    : `${entries}, had all that was confirmed ${(ageMs / 1000).toFixed(1)} s ago`;
}

function linkSaid(link: LinkState | null): string {
  const { linked = null, fault = null } = link ?? {};
  if (linked === null) return '';
  return linked ? ', linked' : `, no link: ${fault ?? 'it is being made'}`;
}
