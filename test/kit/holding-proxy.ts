/** A TCP proxy that stops one exchange at a step that a test names, until it is told to let go: others pass beside it. */
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/**
 * Where an exchange stops. `connected`: its receiver has heard nothing. `asked`: the receiver has the beginning, and the rest is held. `taken`: the receiver
 * has answered for it, and the answer is held. `answered`: the answer has left to the sender, and nothing is held.
 */
export type Step = 'connected' | 'asked' | 'taken' | 'answered';

interface Trap {
  readonly step: Step;
  readonly isReached: (bytes: Buffer) => boolean;
  readonly reached: () => void;
}

export class HoldingProxy {
  readonly #server: Server;
  readonly #target: number;
  readonly #sockets = new Set<Socket>();
  readonly #held = new Set<Socket>();
  #trap: Trap | null = null;

  constructor(targetPort: number) {
    this.#target = targetPort;
    this.#server = createServer((client) => this.#join(client));
  }

  async open(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  /**
   * Resolves when an exchange is at this step, where it then stays. `isReached` looks at what the sender says (`asked`) or what the receiver says (`taken`,
   * `answered`). Connections of before that are not held are ended: the exchange begins with one of its own.
   */
  holdAt(step: Step, isReached: (bytes: Buffer) => boolean): Promise<void> {
    for (const socket of this.#sockets) if (!this.#held.has(socket)) socket.destroy();
    return new Promise((reached) => (this.#trap = { step, isReached, reached }));
  }

  /** Ends what is held. */
  letGo(): void {
    this.#trap = null;
    for (const socket of this.#held) socket.destroy();
  }

  close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  /** Whether the trap closed at this step; then it is open for nothing else. */
  #catches(step: Step, bytes: Buffer): boolean {
    const trap = this.#trap;
    if (trap?.step !== step || !trap.isReached(bytes)) return false;
    this.#trap = null;
    trap.reached();
    return true;
  }

  #keep(socket: Socket, into: Set<Socket>): void {
    into.add(socket);
    socket.on('error', () => {}).on('close', () => into.delete(socket));
  }

  #join(client: Socket): void {
    this.#keep(client, this.#sockets);
    if (this.#catches('connected', Buffer.alloc(0))) {
      this.#keep(client, this.#held);
      return;
    }
    const server = connect(this.#target, '127.0.0.1');
    this.#keep(server, this.#sockets);
    let isHeld = false;
    const hold = (): void => {
      isHeld = true;
      for (const socket of [client, server]) this.#keep(socket, this.#held);
    };
    client.on('data', (bytes) => {
      if (this.#catches('asked', bytes)) hold();
      if (!isHeld) server.write(bytes);
    });
    server.on('data', (bytes) => {
      if (this.#catches('taken', bytes)) hold();
      if (!isHeld) client.write(bytes, () => void this.#catches('answered', bytes));
    });
    client.on('close', () => server.destroy());
    server.on('close', () => (isHeld ? undefined : client.end()));
  }
}
