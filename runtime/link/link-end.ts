/** One end of a link: frames out of a socket and into it, and whether the other node is still there. */
import type { Duplex } from 'node:stream';
import { limits } from '#config/limits.ts';
import { REPLIES, REPLY_STRIDE, REQUEST_STRIDE, REQUESTS, STREAM, type Flat } from '#actors/protocol/frame.ts';
import type { StreamPart } from '#actors/protocol/stream.ts';
import { FrameReader, PING, encodeFrame } from './frames.ts';

const { batchBytes, frameBytesMax, helloBytesMax, pingMs, silentMs, unsentBytesCut } = limits.cluster.link;

export interface LinkEndPorts {
  /** Takes a frame. May throw LinkFault: the link ends. */
  take(frame: Flat): void;
  /** Called once. */
  gone(why: string): void;
}

export class LinkEnd {
  readonly #socket: Duplex;
  readonly #ports: LinkEndPorts;
  readonly #reader = new FrameReader(helloBytesMax);
  readonly #timer: NodeJS.Timeout;
  #isOver = false;
  #heardAt = performance.now();
  /** Frames that were written and have not left, and when one last did. */
  #leaving = 0;
  #leftAt = 0;

  constructor(socket: Duplex, ports: LinkEndPorts) {
    this.#socket = socket;
    this.#ports = ports;
    socket.on('data', (bytes: Buffer) => this.#read(bytes));
    socket.on('error', (error) => this.end(error.message));
    socket.on('close', () => this.end('the connection is closed'));
    this.#timer = setInterval(() => this.#look(), pingMs).unref();
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Bytes that the other node has not taken. */
  get unsentBytes(): number {
    return this.#socket.writableLength;
  }

  /** From here on frames may be as long as requests are. */
  greeted(): void {
    this.#reader.bytesMax = frameBytesMax;
  }

  send(frame: Flat): void {
    if (this.#isOver) return;
    if (this.#leaving++ === 0) this.#leftAt = performance.now();
    this.#socket.write(encodeFrame(frame), () => {
      this.#leaving--;
      this.#leftAt = performance.now();
    });
    if (this.unsentBytes > unsentBytesCut) this.end('the other node takes nothing');
  }

  /** Sends a batch of requests, replies or messages about streams, cut where it is long. `ahead`: what stands in front of each of its frames. */
  sendBatch(batch: Flat, ahead: Flat = []): void {
    const stride = STRIDES.get(batch[0] as number);
    if (stride === undefined || batch.length === 1 + stride) {
      this.send(ahead.length === 0 ? batch : [...ahead, ...batch]);
      return;
    }
    let from = 1;
    let bytes = 0;
    for (let at = 1; at < batch.length; at += stride) {
      bytes += sizeOf(batch[at + stride - 1]!);
      if (bytes < batchBytes || at + stride >= batch.length) continue;
      this.send([...ahead, batch[0]!, ...batch.slice(from, at + stride)]);
      from = at + stride;
      bytes = 0;
    }
    this.send(from === 1 && ahead.length === 0 ? batch : [...ahead, batch[0]!, ...batch.slice(from)]);
  }

  sendPiece(no: number, part: StreamPart, bytes: Uint8Array): void {
    this.send([STREAM, no, part, bytes]);
  }

  /** Ends the link at once; what was not sent is lost. */
  end(why: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#timer);
    this.#socket.destroy();
    this.#ports.gone(why);
  }

  /** Says a last word, and ends when it has left. */
  endWith(frame: Flat, why: string): void {
    if (this.#isOver) return;
    this.#socket.end(encodeFrame(frame));
    setTimeout(() => this.end(why), pingMs).unref();
  }

  #read(bytes: Buffer): void {
    this.#heardAt = performance.now();
    if (this.#isOver) return;
    try {
      this.#reader.push(bytes, (frame) => {
        if (!this.#isOver && frame[0] !== PING) this.#ports.take(frame);
      });
    } catch (error) {
      this.end((error as Error).message);
    }
  }

  #look(): void {
    const now = performance.now();
    if (now - this.#heardAt > silentMs) this.end(`the other node was silent for ${silentMs} ms`);
    else if (this.#leaving > 0 && now - this.#leftAt > silentMs) this.end('the other node takes nothing');
    else this.send([PING]);
  }
}

/** Of the kinds whose last field is a body: a batch of them may be long. */
const STRIDES: ReadonlyMap<number, number> = new Map([
  [REQUESTS, REQUEST_STRIDE],
  [REPLIES, REPLY_STRIDE],
]);

const sizeOf = (body: Flat[number]): number => (typeof body === 'number' ? 0 : body.length);
