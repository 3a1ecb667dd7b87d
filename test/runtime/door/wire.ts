/** A raw connection to a door: what a client library would hide is in plain sight here. */
import { connect, type Socket } from 'node:net';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export class Wire {
  readonly socket: Socket;
  /** Resolves when the server has closed, by whatever means. */
  readonly closed: Promise<void>;
  #bytes: Buffer = Buffer.alloc(0);
  #over = false;
  #wake: () => void = () => undefined;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (bytes: Buffer) => {
      this.#bytes = Buffer.concat([this.#bytes, bytes]);
      this.#wake();
    });
    socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => {
      socket.on('close', () => {
        this.#over = true;
        this.#wake();
        resolve();
      });
    });
  }

  static async open(port: number): Promise<Wire> {
    const socket = connect(port, '127.0.0.1');
    const wire = new Wire(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    return wire;
  }

  /** The server has closed. */
  get over(): boolean {
    return this.#over;
  }

  /** Latin1 text or bytes. */
  send(data: string | Uint8Array): void {
    this.socket.write(typeof data === 'string' ? Buffer.from(data, 'latin1') : data);
  }

  /** The next answer, or null when the server closed first. Interim answers (1xx) are answers too. */
  async answer(method = 'GET'): Promise<Answer | null> {
    const head = await this.#until(() => this.#bytes.indexOf('\r\n\r\n') + 4, 4);
    if (head === null) return null;
    const [first, ...lines] = head.toString('latin1').trimEnd().split('\r\n');
    const status = Number(first!.split(' ')[1]);
    const headers: Record<string, string> = {};
    for (const line of lines)
      headers[line.slice(0, line.indexOf(':')).toLowerCase()] = line.slice(line.indexOf(':') + 2);
    const bare = method === 'HEAD' || status < 200 || status === 204 || status === 304;
    const length = bare ? 0 : Number(headers['content-length'] ?? 0);
    const body = await this.#until(() => (this.#bytes.length >= length ? length : -1), 0);
    return body === null ? null : { status, headers, body };
  }

  /** The body behind the head of a chunked answer; null when the server closed before its end. */
  async chunks(): Promise<Buffer | null> {
    const chunks: Buffer[] = [];
    for (;;) {
      const line = await this.#until(() => this.#bytes.indexOf('\r\n') + 2, 2);
      if (line === null) return null;
      const chunk = await this.#until(() => {
        const length = Number.parseInt(line.toString('latin1'), 16) + 2;
        return this.#bytes.length >= length ? length : -1;
      }, 2);
      if (chunk === null) return null;
      if (chunk.length === 2) return Buffer.concat(chunks);
      chunks.push(chunk.subarray(0, -2));
    }
  }

  /** Everything until the server closes. */
  async rest(): Promise<string> {
    await this.closed;
    return this.#bytes.toString('latin1');
  }

  end(): void {
    this.socket.destroy();
  }

  /** Takes the first `length()` bytes as soon as that is at least `min`. */
  async #until(length: () => number, min: number): Promise<Buffer | null> {
    for (;;) {
      const n = length();
      if (n >= min) {
        const taken = this.#bytes.subarray(0, n);
        this.#bytes = this.#bytes.subarray(n);
        return taken;
      }
      if (this.#over) return null;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
