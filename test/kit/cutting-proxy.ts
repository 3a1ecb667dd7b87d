/** A TCP proxy that can lose replies: the request arrives and is answered, and the answer never comes. */
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** With TLS 1.3 a client speaks twice: its hello, then the end of the handshake with the request. */
const REQUEST_FLIGHT = 2;

export class CuttingProxy {
  readonly #server: Server;
  readonly #target: number;
  readonly #sockets = new Set<Socket>();
  /** Connections that begin while it is set lose what the server says after the request. */
  cutting = false;
  /** Connections whose reply was lost, after the server had answered. */
  cuts = 0;
  /** While it is set no new connection comes through. */
  isShut = false;
  /** Bytes that servers have sent. */
  bytesBack = 0;

  constructor(targetPort: number) {
    this.#target = targetPort;
    this.#server = createServer((client) => this.#join(client));
  }

  async open(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  /** Ends every connection: the next request begins another one. */
  hangUp(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  close(): void {
    this.hangUp();
    this.#server.close();
  }

  #join(client: Socket): void {
    if (this.isShut) {
      client.destroy();
      return;
    }
    const cut = this.cutting;
    const server = connect(this.#target, '127.0.0.1');
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on('error', () => {}).on('close', () => this.#sockets.delete(socket));
    }
    let flights = 0;
    client.on('data', (bytes) => {
      flights++;
      server.write(bytes);
    });
    server.on('data', (bytes) => {
      this.bytesBack += bytes.length;
      if (!cut || flights < REQUEST_FLIGHT) client.write(bytes);
    });
    client.on('end', () => server.end());
    // A client without a kept connection asks the server to close behind its answer: then it has answered.
    server.on('end', () => {
      if (cut) this.cuts++;
      if (cut) client.destroy();
      else client.end();
    });
  }
}
