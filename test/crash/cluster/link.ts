/**
 * A link between a node and its database that can be cut, each direction apart: what is sent meanwhile is held and comes late when the link is back, as what TCP sends again does, and no end
 * of a connection is heard either. Where the node has a network of its own (cable.ts), its cable can be pulled, too.
 */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import type { Cable } from './cable.ts';

/** `up`: what the node sends. `down`: what the database answers. */
type Direction = 'up' | 'down';
/** What is cut: one direction or both of the relay, or the cable below both. */
export type Cut = readonly Direction[] | 'cable';

const OF_THE_RELAY: readonly Cut[] = [['up'], ['down'], ['up', 'down']];

export class Link {
  readonly #server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, (client) => this.#join(client));
  readonly #target: number;
  readonly #sources: Readonly<Record<Direction, Set<Socket>>> = { up: new Set(), down: new Set() };
  readonly #cut = new Set<Direction>();
  readonly cable: Cable | null;
  #isPulled = false;

  constructor(target: number, cable: Cable | null) {
    this.#target = target;
    this.cable = cable;
  }

  /** Every way in which it can be cut. */
  get cuts(): readonly Cut[] {
    return this.cable === null ? OF_THE_RELAY : [...OF_THE_RELAY, 'cable'];
  }

  /** Where the node finds its database: host and port. */
  async open(): Promise<string> {
    const host = this.cable?.databaseAddress ?? '127.0.0.1';
    await new Promise<void>((resolve) => this.#server.listen(0, host, resolve));
    return `${host}:${(this.#server.address() as AddressInfo).port}`;
  }

  cut(what: Cut): void {
    if (what === 'cable') {
      this.#isPulled = true;
      this.cable!.pull();
    } else this.#hold(what);
  }

  #hold(directions: readonly Direction[]): void {
    for (const direction of directions) {
      this.#cut.add(direction);
      for (const source of this.#sources[direction]) source.pause();
    }
  }

  heal(): void {
    if (this.#isPulled) this.cable!.plug();
    this.#isPulled = false;
    this.#cut.clear();
    for (const sources of Object.values(this.#sources)) for (const source of sources) source.resume();
  }

  close(): void {
    for (const sources of Object.values(this.#sources)) for (const source of sources) source.destroy();
    this.#server.close();
  }

  #join(client: Socket): void {
    const server = connect({ port: this.#target, host: '127.0.0.1', allowHalfOpen: true });
    this.#pass('up', client, server);
    this.#pass('down', server, client);
  }

  #pass(direction: Direction, source: Socket, sink: Socket): void {
    const sources = this.#sources[direction];
    sources.add(source);
    source
      .on('data', (bytes: Buffer) => void sink.write(bytes))
      .on('end', () => void sink.end())
      .on('error', () => sink.destroy())
      .on('close', () => sources.delete(source));
    if (this.#cut.has(direction)) source.pause();
    else source.resume();
  }
}
