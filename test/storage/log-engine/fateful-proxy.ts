/** Between a log engine and its PostgreSQL: loses the answer of the next call, loses its request, or keeps the request until its caller has given it up. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import type { Fate } from './memory.ts';

/** What the first message of a call has in it: the name of its statement. The statement that looks at the server's settings behind it has another one. */
const CALL =
  /skep_(?:look|ends|claim|append|read|release|note|trim|register|beat|carry|condemn|leaves_(?:claim|append|publish|save)|hand_over|serve|leave|vault_(?:get|list|commit|health)\0|intake_(?:claim|claim_as|commit)\0)/;

export class FatefulProxy {
  readonly #server = createServer((client) => this.#join(client));
  #target: number;
  readonly #sockets = new Set<Socket>();
  #next: Fate = 'well';
  /** Requests that were given up, each with the connection on which it arrives late. */
  #late: { readonly request: Buffer; readonly server: Socket }[] = [];

  constructor(target: number) {
    this.#target = target;
  }

  async open(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  doom(fate: Fate): void {
    this.#next = fate;
  }

  /** Connections end, and the next ones go to another server. */
  turnTo(port: number): void {
    this.#target = port;
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Late requests arrive; resolves when the server has answered them. */
  async deliver(): Promise<void> {
    const late = this.#late;
    this.#late = [];
    for (const { request, server } of late) {
      const answered = new Promise((resolve) => server.once('data', resolve));
      server.write(request);
      await answered;
      server.destroy();
    }
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  #join(client: Socket): void {
    const server = connect(this.#target, '127.0.0.1');
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on('error', () => {}).on('close', () => this.#sockets.delete(socket));
    }
    let isDeaf = false;
    client.on('data', (bytes) => {
      const fate = CALL.test(bytes.toString('latin1')) ? this.#take() : 'well';
      if (fate === 'answer lost') isDeaf = true;
      if (fate === 'well' || fate === 'answer lost') return void server.write(bytes);
      if (fate === 'request late') {
        isLate = true;
        this.#late.push({ request: bytes, server });
      }
      client.destroy();
    });
    let isLate = false;
    server.on('data', (bytes) => {
      if (isDeaf) client.destroy();
      else if (!isLate) client.write(bytes);
    });
    client.on('close', () => {
      if (!isLate) server.destroy();
    });
    server.on('close', () => client.destroy());
  }

  #take(): Fate {
    const fate = this.#next;
    this.#next = 'well';
    return fate;
  }
}
