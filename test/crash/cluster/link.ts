/**
 * A link between a node and its database that can be cut, each direction apart: what is sent meanwhile is held and comes late when the link is back, as what TCP sends again does, and no end
 * of a connection is heard either.
 */
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** `up`: what the node sends. `down`: what the database answers. */
export type Direction = 'up' | 'down';

export class Link {
  readonly #server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, (client) => this.#join(client));
  readonly #target: number;
  readonly #sources: Readonly<Record<Direction, Set<Socket>>> = { up: new Set(), down: new Set() };
  readonly #cut = new Set<Direction>();

  constructor(target: number) {
    this.#target = target;
  }

  async open(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  cut(...directions: readonly Direction[]): void {
    for (const direction of directions) {
      this.#cut.add(direction);
      for (const source of this.#sources[direction]) source.pause();
    }
  }

  heal(): void {
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
