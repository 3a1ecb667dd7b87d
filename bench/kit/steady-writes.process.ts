/** The process behind steady-writes.ts: creates over raw connections, so that the load costs little beside what it measures. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { nowMs } from './monotonic.ts';
import type { SteadyAsk, SteadyWrites } from './steady-writes.ts';

const CONNECTIONS = 32;
const CREATED = 'HTTP/1.1 201';

interface Due {
  readonly no: number;
  readonly at: number;
}

class Line {
  readonly #socket: Socket;
  readonly #answered: (due: Due, isCreated: boolean) => void;
  #due: Due | null = null;
  #text = '';
  #isOpen = true;

  constructor(socket: Socket, answered: (due: Due, isCreated: boolean) => void) {
    this.#socket = socket;
    this.#answered = answered;
    socket.setEncoding('latin1').on('data', (text: string) => this.#take(text));
    // A node that is too far behind ends a connection before it answers: that write failed, and no further one takes this line.
    socket.on('error', () => undefined).on('close', () => this.#lost());
  }

  get isFree(): boolean {
    return this.#due === null && this.#isOpen;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  send(due: Due, head: string): void {
    this.#due = due;
    const body = `{"place":"here","no":${due.no}}`;
    this.#socket.write(`${head}Content-Length: ${body.length}\r\n\r\n${body}`);
  }

  end(): void {
    this.#isOpen = false;
    this.#socket.destroy();
  }

  #lost(): void {
    const due = this.#due;
    this.#isOpen = false;
    this.#due = null;
    if (due !== null) this.#answered(due, false);
  }

  #take(text: string): void {
    this.#text += text;
    const end = this.#text.indexOf('\r\n\r\n');
    if (end < 0) return;
    const [, length] = /\r\ncontent-length: (\d+)/i.exec(this.#text) ?? [];
    if (length === undefined) throw new Error(`a write was answered ${this.#text.slice(0, 300)}`);
    if (this.#text.length < end + 4 + Number(length)) return; // names and numbers are ASCII
    const due = this.#due!;
    const isCreated = this.#text.startsWith(CREATED);
    this.#text = '';
    this.#due = null;
    this.#answered(due, isCreated);
  }
}

/** Each write is sent when it is due, or as soon as a connection is free: how long it waited for one counts. */
async function write({ gateway, headers, first, perSecond, seconds }: SteadyAsk): Promise<SteadyWrites> {
  const { host, hostname, port } = new URL(gateway);
  const named = Object.entries({ Host: host, 'Content-Type': 'application/json', ...headers });
  const head = `POST /data/rest/signal HTTP/1.1\r\n${named.map(([name, value]) => `${name}: ${value}\r\n`).join('')}`;
  const answeredAt: number[] = [];
  const tookMs: number[] = [];
  let errors = 0;
  const waiting: Due[] = [];
  let next = 0;
  const answered = ({ no, at }: Due, isCreated: boolean): void => {
    const now = nowMs();
    answeredAt[no - first] = now;
    tookMs.push(now - at);
    if (!isCreated) errors++;
  };
  const lines = await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true });
      await once(socket, 'connect');
      const line: Line = new Line(socket, (due, isCreated) => {
        answered(due, isCreated);
        if (line.isFree && next < waiting.length) line.send(waiting[next++]!, head);
      });
      return line;
    }),
  );
  const count = Math.round(perSecond * seconds);
  const began = nowMs();
  while (tookMs.length < count && lines.some(({ isOpen }) => isOpen)) {
    const due = Math.min(count, Math.floor(((nowMs() - began) * perSecond) / 1000) + 1);
    while (waiting.length < due)
      waiting.push({ no: first + waiting.length, at: began + (waiting.length * 1000) / perSecond });
    for (const line of lines) if (line.isFree && next < waiting.length) line.send(waiting[next++]!, head);
    await new Promise<void>((resolve) => setTimeout(resolve, 1));
  }
  errors += count - tookMs.length;
  const perSecondKept = (tookMs.length * 1000) / (nowMs() - began);
  for (const line of lines) line.end();
  return { answeredAt, tookMs, errors, perSecond: perSecondKept };
}

process.on('message', (ask: SteadyAsk) => {
  void write(ask).then((writes) => process.send!(writes));
});
