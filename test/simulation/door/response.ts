/**
 * A twin of uWebSockets.js's response and of the connection below it. It throws where the addon throws: when it is touched after an end or an abort. It lends
 * the bytes of a body for one call, takes of an answer what there is room for, and has the addon's clock (runtime/door/README.md, "Traps of the addon").
 */
import type { HttpResponse } from 'uWebSockets.js';
import type { Room } from '#test/simulation/machine/room.ts';
import type { World } from '#test/simulation/machine/world.ts';

const CLOCK_MS = 10_000;
/** So much of a body sets the clock back. */
const CLOCK_BYTES = 160 * 1024;
/** What the kernel takes of an answer that its caller does not read. */
const ROOM_BYTES = 64 * 1024;

export interface Answer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** How a caller reads: so many bytes, so often. */
export interface Reading {
  readonly bytes: number;
  readonly everyMs: number;
}

export interface ResponsePorts {
  readonly world: World;
  /** The door's thread. */
  readonly main: Room;
  readonly address: string;
  /** Null for a caller that reads nothing. */
  readonly reading: Reading | null;
  /** The whole answer has come. */
  readonly answered: (answer: Answer) => void;
  /** The door has closed the connection. */
  readonly cut: () => void;
}

type Data = (bytes: ArrayBuffer, last: boolean) => void;
type Bytes = Parameters<HttpResponse['write']>[0];

export class SimulatedResponse {
  readonly #ports: ResponsePorts;
  #state: 'open' | 'ended' | 'closed' = 'open';
  #onAborted: (() => void) | null = null;
  #onData: Data | null = null;
  #onWritable: ((offset: number) => boolean) | null = null;
  #head = '';
  /** What has been written of the answer, and how much of that the caller has read. */
  readonly #written: Buffer[] = [];
  #writtenBytes = 0;
  #readBytes = 0;
  #blocked = false;
  #reads = false;
  #paused = false;
  /** Reads of the connection that wait because the door has stopped them. */
  #held: { readonly chunks: readonly Uint8Array[]; readonly last: boolean }[] = [];
  #came = 0;
  #stopClock: (() => void) | null = null;

  constructor(ports: ResponsePorts) {
    this.#ports = ports;
  }

  /** As the addon's handlers get it. */
  get asAddon(): HttpResponse {
    return this as unknown as HttpResponse;
  }

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  /** Whether the caller may still get something: an answer that has ended leaves without the door. */
  get isOver(): boolean {
    return this.#state === 'closed';
  }

  /** The handler has returned: the addon ends the process where nothing of it listens and nothing was answered. */
  returned(): void {
    if (this.#state === 'open' && this.#onAborted === null) throw new Error('a handler has left a response alone');
  }

  /** More of the body comes, in one read of the connection. */
  came(chunks: readonly Uint8Array[], last: boolean): void {
    if (this.#state !== 'open') return;
    if (this.#paused) this.#held.push({ chunks, last });
    else this.#give(chunks, last);
  }

  /** The caller goes. */
  leave(): void {
    if (this.#state === 'open') this.#abort();
    this.#state = 'closed';
    this.#wind(false);
  }

  // What the door calls.

  onAborted(then: () => void): HttpResponse {
    this.#touch();
    this.#onAborted = then;
    return this.asAddon;
  }

  onData(then: Data): HttpResponse {
    this.#touch();
    this.#onData = then;
    this.#wind(true);
    return this.asAddon;
  }

  onWritable(then: (offset: number) => boolean): HttpResponse {
    this.#touch();
    this.#onWritable = then;
    return this.asAddon;
  }

  cork(run: () => void): HttpResponse {
    this.#touch();
    run();
    return this.asAddon;
  }

  pause(): void {
    this.#touch();
    this.#paused = true;
    this.#wind(false);
  }

  resume(): void {
    this.#touch();
    this.#paused = false;
    this.#wind(true);
    const { world, main } = this.#ports;
    for (const { chunks, last } of this.#held.splice(0)) world.after(0, main, 'read', () => this.came(chunks, last));
  }

  getRemoteAddressAsText(): ArrayBuffer {
    this.#touch();
    return new TextEncoder().encode(this.#ports.address).buffer;
  }

  writeStatus(head: string): HttpResponse {
    this.#touch();
    if (this.#head !== '') throw new Error(`a second answer: ${head} after ${this.#head}`);
    this.#head = head;
    return this.asAddon;
  }

  writeHeader(name: string, value: string): HttpResponse {
    this.#touch();
    this.#head += `\r\n${name}: ${value}`;
    return this.asAddon;
  }

  write(bytes: Bytes): boolean {
    this.#touch();
    this.#take(bufferOf(bytes));
    this.#blocked = this.#unread > ROOM_BYTES;
    if (this.#blocked) this.#wind(true);
    return !this.#blocked;
  }

  tryEnd(bytes: Bytes, total: number): [boolean, boolean] {
    this.#touch();
    const all = bufferOf(bytes);
    const room = Math.max(0, ROOM_BYTES - this.#unread);
    this.#take(all.subarray(0, room));
    if (this.#writtenBytes > total) throw new Error('an answer is longer than its length');
    if (this.#writtenBytes === total) {
      this.#end();
      return [true, true];
    }
    this.#blocked = all.byteLength > room;
    if (this.#blocked) this.#wind(true);
    return [!this.#blocked, false];
  }

  end(bytes: Bytes = ''): HttpResponse {
    this.#touch();
    this.#take(bufferOf(bytes));
    this.#end();
    return this.asAddon;
  }

  endWithoutBody(): HttpResponse {
    return this.end();
  }

  close(): HttpResponse {
    this.#touch();
    this.#abort();
    this.#ports.cut();
    return this.asAddon;
  }

  // What the connection does.

  #touch(): void {
    if (this.#state !== 'open') throw new Error('a response is touched after its end or its abort');
  }

  #abort(): void {
    this.#state = 'closed';
    this.#wind(false);
    this.#onAborted?.();
  }

  #give(chunks: readonly Uint8Array[], last: boolean): void {
    for (const [at, chunk] of chunks.entries()) {
      if (this.#state !== 'open') return;
      const isLast = last && at === chunks.length - 1;
      this.#came += chunk.byteLength;
      if (isLast) this.#wind(false);
      else if (this.#came >= CLOCK_BYTES) {
        this.#came = 0;
        this.#wind(true);
      }
      const lent = new Uint8Array(chunk).buffer;
      this.#onData?.(lent, isLast);
      if (!lent.detached) lent.transfer(0);
    }
  }

  get #unread(): number {
    return this.#writtenBytes - this.#readBytes;
  }

  #take(bytes: Buffer): void {
    this.#written.push(Buffer.from(bytes));
    this.#writtenBytes += bytes.byteLength;
    this.#read();
  }

  #end(): void {
    this.#state = 'ended';
    this.#wind(false);
    this.#read();
  }

  /** The caller reads on, in a while. */
  #read(): void {
    const { reading, world, main } = this.#ports;
    if (this.#reads || reading === null) return;
    this.#reads = true;
    world.after(reading.everyMs, main, 'a caller reads', () => {
      this.#reads = false;
      if (this.#state === 'closed') return;
      this.#readBytes = Math.min(this.#writtenBytes, this.#readBytes + reading.bytes);
      if (this.#state === 'ended' && this.#unread === 0) this.#arrived();
      else {
        if (this.#blocked && this.#unread < ROOM_BYTES) this.#writable();
        if (this.#unread > 0) this.#read();
      }
    });
  }

  #writable(): void {
    this.#blocked = false;
    this.#wind(false);
    if (this.#state === 'open') this.#onWritable?.(this.#writtenBytes);
  }

  #arrived(): void {
    this.#state = 'closed';
    const body = Buffer.concat(this.#written).toString('latin1');
    this.#ports.answered({ status: Number.parseInt(this.#head), head: this.#head, body });
  }

  #wind(isRunning: boolean): void {
    const { world, main } = this.#ports;
    this.#stopClock?.();
    this.#stopClock = null;
    if (!isRunning) return;
    this.#stopClock = world.after(CLOCK_MS, main, 'clock of the addon', () => {
      world.fail(new Error('the addon closes a connection that the door watches'));
    });
  }
}

const bufferOf = (bytes: Bytes): Buffer =>
  typeof bytes === 'string'
    ? Buffer.from(bytes)
    : Buffer.from(
        ArrayBuffer.isView(bytes)
          ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
          : new Uint8Array(bytes),
      );
