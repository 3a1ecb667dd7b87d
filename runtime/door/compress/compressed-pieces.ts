/**
 * An answer in pieces on its way through a compressor. Its thread is told that bytes were taken when they are compressed and the caller has room: a caller
 * that reads slowly stops the thread, as without compression.
 */
import type { Transform } from 'node:stream';
import { WINDOW_BYTES } from '#actors/protocol/stream.ts';
import type { AnswerSink, Visit } from '../port.ts';
import type { Compressor } from './compressor.ts';

export class CompressedPieces implements AnswerSink {
  readonly #visit: Visit;
  readonly #sink: AnswerSink;
  readonly #stream: Transform;
  readonly #compressor: Compressor;
  readonly #queue: Uint8Array[] = [];
  #writing = false;
  #ended = false;
  #over = false;
  /** Compressed bytes that the caller has not taken. */
  #unsent = 0;
  /** Bytes that were compressed, and of which the thread was not told yet. */
  #owed = 0;

  /** `visit` gets the compressed pieces; `sink` is the maker of the answer. */
  constructor(visit: Visit, sink: AnswerSink, stream: Transform, compressor: Compressor) {
    this.#visit = visit;
    this.#sink = sink;
    this.#stream = stream;
    this.#compressor = compressor;
    stream.on('data', (bytes: Buffer) => this.#send(bytes));
    stream.once('end', () => this.#finish());
    stream.once('error', () => this.#fail());
  }

  add(bytes: Uint8Array): void {
    if (this.#over) return;
    this.#queue.push(bytes);
    this.#next();
  }

  end(): void {
    if (this.#over) return;
    this.#ended = true;
    this.#next();
  }

  /** The answer cannot be finished. */
  cut(): boolean {
    this.#close();
    return this.#visit.cutAnswer();
  }

  taken(bytes: number): void {
    this.#unsent -= bytes;
    this.#report();
  }

  gone(): void {
    if (this.#over) return;
    this.#close();
    this.#sink.gone();
  }

  #next(): void {
    if (this.#writing || this.#over) return;
    const bytes = this.#queue.shift();
    if (bytes !== undefined) this.#write(bytes);
    else if (this.#ended) this.#stream.end();
  }

  #write(bytes: Uint8Array): void {
    const { byteLength } = bytes;
    this.#writing = true;
    this.#compressor.turn((over) => {
      if (this.#over) {
        over();
        return;
      }
      this.#stream.write(bytes, () => {
        over();
        this.#writing = false;
        this.#owed += byteLength;
        this.#report();
        this.#next();
      });
    });
  }

  /** Copied, since zlib's next piece lies in the same buffer, and the server frees the whole buffer of a piece that it has sent. */
  #send(bytes: Buffer): void {
    if (this.#over) return;
    this.#unsent += bytes.byteLength;
    this.#visit.answerPiece(new Uint8Array(bytes));
  }

  #report(): void {
    if (this.#over || this.#owed === 0 || this.#unsent >= WINDOW_BYTES) return;
    const owed = this.#owed;
    this.#owed = 0;
    this.#sink.taken(owed);
  }

  #finish(): void {
    if (this.#over) return;
    this.#over = true;
    this.#visit.endAnswer();
  }

  #fail(): void {
    if (this.#over) return;
    this.cut();
    this.#sink.gone();
  }

  #close(): void {
    this.#over = true;
    this.#queue.length = 0;
    this.#stream.destroy();
  }
}
