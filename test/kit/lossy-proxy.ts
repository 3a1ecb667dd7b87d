/** A TCP proxy in front of a node that loses answers: the node has carried out the request, and the caller is told nothing. It notes what passes. */
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

export interface Passed {
  readonly method: string;
  readonly path: string;
  readonly key: string | null;
}

export class LossyProxy {
  readonly #server: Server = createServer((client) => this.#join(client));
  readonly #sockets = new Set<Socket>();
  /** The port of the node; null while it cannot be reached. */
  target: number | null = null;
  /** Which answer is lost; then the node cannot be reached until `target` is set again. */
  loses: ((passed: Passed) => boolean) | null = null;
  readonly passed: Passed[] = [];
  cuts = 0;

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.hangUp();
    this.#server.close();
  }

  hangUp(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #join(client: Socket): void {
    this.#keep(client);
    if (this.target === null) return void client.destroy();
    const server = connect(this.target, '127.0.0.1');
    this.#keep(server);
    let isLost = false;
    client.on('data', (bytes) => {
      const passed = headOf(bytes.toString('latin1'));
      if (passed !== null) {
        this.passed.push(passed);
        isLost = this.loses?.(passed) ?? false;
      }
      server.write(bytes);
    });
    server.on('data', (bytes) => {
      if (!isLost) return void client.write(bytes);
      this.cuts++;
      this.target = null;
      this.hangUp();
    });
    client.on('close', () => server.destroy());
    server.on('close', () => client.destroy());
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => this.#sockets.delete(socket));
  }
}

/** The head of a request; null for bytes of a body. */
function headOf(text: string): Passed | null {
  const [, method, path] = /^([A-Z]+) (\S+) HTTP\/1\.1\r\n/.exec(text) ?? [];
  if (method === undefined) return null;
  return { method, path: path!, key: /\r\nidempotency-key: (\S+)/i.exec(text)?.[1] ?? null };
}
