/** The WebSockets of one door: one timer for all of them, and their end when the door closes. */
import { limits } from '#config/limits.ts';
import type { DoorState } from '../moving-visit.ts';
import type { VisitHandler } from '../port.ts';
import type { Dialect } from './dialect.ts';
import { GraphqlDialect } from './graphql-dialect.ts';
import { LiveConnection, type LivePorts } from './live-connection.ts';
import { LiveDialect } from './live-dialect.ts';
import type { LiveFigures } from './live-figures.ts';

export class LiveConnections {
  readonly #ports: LivePorts;
  readonly #open = new Set<LiveConnection>();
  #timer: NodeJS.Timeout | null = null;

  constructor(handler: VisitHandler, door: DoorState, figures: LiveFigures) {
    this.#ports = { handler, door, figures, now: () => performance.now() };
  }

  get size(): number {
    return this.#open.size;
  }

  /** A connection whose handshake was accepted, at the path of a route of WebSockets on its listener. */
  admit(path: string, ip: string, fields: ReadonlyMap<string, string>): LiveConnection {
    const connection = new LiveConnection(dialectAt(path), ip, fields, this.#ports);
    this.#open.add(connection);
    this.#timer ??= setInterval(() => this.look(), limits.changes.liveLookMs).unref();
    if (this.#ports.door.drain.closing) connection.retire();
    return connection;
  }

  left(connection: LiveConnection): void {
    this.#open.delete(connection);
    connection.closed();
    if (this.#open.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  look(): void {
    for (const connection of this.#open) connection.look();
  }

  retire(): void {
    for (const connection of this.#open) connection.retire();
  }
}

function dialectAt(path: string): Dialect {
  const [, graphql] = /^(.*\/graphql)\/live$/.exec(path) ?? [];
  return graphql === undefined ? new LiveDialect(path.replace(/live$/, 'changes')) : new GraphqlDialect(graphql);
}
