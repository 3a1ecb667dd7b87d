/**
 * Compresses whole answers and answers in pieces. Short ones are compressed at once, since handing them over costs the door as much; longer ones by libuv's
 * threads, a few at a time, since fsyncs of journals need these threads too. What does not fit the bounds leaves as it is
 * (docs/decisions/runtime.md RT-35, bench/compress.bench.ts).
 */
import * as zlib from 'node:zlib';
import type { Transform } from 'node:stream';
import { limits } from '#config/limits.ts';
import type { Coding } from './coding.ts';

const { constants } = zlib;

interface Coder {
  readonly now: (bytes: Uint8Array) => Buffer;
  readonly later: (bytes: Uint8Array, done: (error: Error | null, result: Buffer) => void) => void;
  readonly stream: () => Transform;
}

const GZIP = { level: 6 } as const;
/** A window of 256 KiB: a whole answer is no longer, and an answer in pieces holds so much for as long as it lasts. */
const BROTLI = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 18 },
} as const;
const ZSTD = { params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_windowLog]: 18 } } as const;

const CODERS: Readonly<Record<Coding, Coder>> = {
  br: {
    now: (bytes) => zlib.brotliCompressSync(bytes, BROTLI),
    later: (bytes, done) => zlib.brotliCompress(bytes, BROTLI, done),
    stream: () => zlib.createBrotliCompress(BROTLI),
  },
  gzip: {
    now: (bytes) => zlib.gzipSync(bytes, GZIP),
    later: (bytes, done) => zlib.gzip(bytes, GZIP, done),
    stream: () => zlib.createGzip(GZIP),
  },
  zstd: {
    now: (bytes) => zlib.zstdCompressSync(bytes, ZSTD),
    later: (bytes, done) => zlib.zstdCompress(bytes, ZSTD, done),
    stream: () => zlib.createZstdCompress(ZSTD),
  },
};

/** Whether the door compresses an answer itself. Zstandard takes up to milliseconds to begin, however short the answer is, so it never does that. */
export function isAtOnce(coding: Coding, bytes: number): boolean {
  return coding !== 'zstd' && bytes <= limits.door.compressAtOnceBytesMax;
}

export class Compressor {
  readonly #queue: (() => void)[] = [];
  #running = 0;
  #waitingBytes = 0;
  #streams = 0;

  /** Answers in pieces that are being compressed. */
  get streams(): number {
    return this.#streams;
  }

  /** Compresses on this thread: for what `isAtOnce` lets in. */
  now(coding: Coding, bytes: Uint8Array): Buffer {
    return CODERS[coding].now(bytes);
  }

  /** Compresses on another thread; `done` gets null where that failed. False, without a call of it, where too many bytes wait already. */
  later(coding: Coding, bytes: Uint8Array, done: (result: Buffer | null) => void): boolean {
    const { byteLength } = bytes;
    if (this.#waitingBytes + byteLength > limits.door.compressingBytesMax) return false;
    this.#waitingBytes += byteLength;
    this.turn((over) =>
      CODERS[coding].later(bytes, (error, result) => {
        this.#waitingBytes -= byteLength;
        over();
        done(error === null ? result : null);
      }),
    );
    return true;
  }

  /** A stream that compresses; each write of it is a turn. Null where there are as many as there may be. It counts until it closes. */
  stream(coding: Coding): Transform | null {
    if (this.#streams >= limits.door.compressedStreamsMax) return null;
    const stream = CODERS[coding].stream();
    this.#streams++;
    stream.once('close', () => this.#streams--);
    return stream;
  }

  /** Runs some work on libuv's threads once it is its turn; the work calls `over` when it has ended. */
  turn(work: (over: () => void) => void): void {
    if (this.#running >= limits.door.compressingMax) {
      this.#queue.push(() => work(this.#over));
      return;
    }
    this.#running++;
    work(this.#over);
  }

  readonly #over = (): void => {
    const next = this.#queue.shift();
    if (next === undefined) this.#running--;
    else next();
  };
}
