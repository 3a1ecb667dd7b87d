/** A link between a node and its database that can fall silent: connections stay open, and nothing comes through, either way. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export class SilentLink {
  readonly #server = createServer((client) => this.#join(client));
  readonly #target: number;
  readonly #sockets = new Set<Socket>();
  #isSilent = false;

  constructor(target: number) {
    this.#target = target;
  }

  async open(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  fallSilent(): void {
    this.#isSilent = true;
  }

  /** New connections come through; those of before end. */
  heal(): void {
    this.#isSilent = false;
    for (const socket of this.#sockets) socket.destroy();
  }

  close(): void {
    this.heal();
    this.#server.close();
  }

  #join(client: Socket): void {
    const server = connect(this.#target, '127.0.0.1');
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(from);
      from.on('data', (bytes) => void (this.#isSilent || to.write(bytes)));
      from
        .on('error', () => {})
        .on('close', () => {
          this.#sockets.delete(from);
          if (!this.#isSilent) to.destroy();
        });
    }
  }
}
