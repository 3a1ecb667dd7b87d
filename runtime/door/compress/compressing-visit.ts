/** A visit of a caller that sends `Accept-Encoding`: answers that gain by it leave compressed (docs/contract/platform.md §3.9). */
import { limits } from '#config/limits.ts';
import { AroundVisit } from '../around-visit.ts';
import type { AnswerSink, Visit, VisitWatcher } from '../port.ts';
import type { Coding } from './coding.ts';
import { CompressedPieces } from './compressed-pieces.ts';
import { isAtOnce, type Compressor } from './compressor.ts';
import { gains } from './gains.ts';

export const VARY_BY_CODING = 'Vary: Accept-Encoding\n';

export class CompressingVisit extends AroundVisit implements VisitWatcher {
  readonly #inner: Visit;
  /** Null where the caller takes none of ours: its answers vary all the same. */
  readonly #coding: Coding | null;
  readonly #compressor: Compressor;
  /** Its body is chunked, so its answer has to leave whole or with its length (port.ts). */
  readonly #isChunked: boolean;
  #pieces: CompressedPieces | null = null;
  #watcher: VisitWatcher | null = null;

  /** Within the handler's synchronous part. */
  constructor(visit: Visit, coding: Coding | null, compressor: Compressor) {
    super(visit);
    this.#inner = visit;
    this.#coding = coding;
    this.#compressor = compressor;
    this.#isChunked = visit.header('transfer-encoding') !== '';
  }

  /** An answer that is being compressed has no number any more, which another request may have: a caller that leaves then is not reported. */
  override watch(watcher: VisitWatcher, no: number): void {
    this.#watcher = watcher;
    super.watch(this, no);
  }

  gone(no: number): void {
    this.#watcher?.gone(no);
  }

  override answer(status: number, headers: string, body: string | Uint8Array, requestId?: string): void {
    this.#watcher = null;
    if (lengthAtLeast(body) < limits.door.compressedBytesMin || !gains(status, headers)) {
      super.answer(status, headers, body, requestId);
      return;
    }
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    const coding = this.#coding;
    const send = (result: Uint8Array | null): void => {
      const isSmaller = result !== null && result.byteLength < bytes.byteLength;
      if (isSmaller) super.answer(status, coded(headers, coding!), result, requestId);
      else super.answer(status, varied(headers), body, requestId);
    };
    if (coding === null) send(null);
    else if (isAtOnce(coding, bytes.byteLength)) send(this.#compressor.now(coding, bytes));
    else if (!this.#compressor.later(coding, bytes, send)) send(null);
  }

  override beginAnswer(status: number, headers: string, length: number, sink: AnswerSink, requestId: string): void {
    this.#watcher = null;
    const isShort = length >= 0 && length < limits.door.compressedBytesMin;
    if (isShort || this.#isChunked || !gains(status, headers)) {
      super.beginAnswer(status, headers, length, sink, requestId);
      return;
    }
    const coding = this.#coding;
    const stream = coding === null ? null : this.#compressor.stream(coding);
    if (coding === null || stream === null) {
      super.beginAnswer(status, varied(headers), length, sink, requestId);
      return;
    }
    this.#pieces = new CompressedPieces(this.#inner, sink, stream, this.#compressor);
    super.beginAnswer(status, coded(headers, coding), -1, this.#pieces, requestId);
  }

  override answerPiece(bytes: Uint8Array): void {
    if (this.#pieces === null) super.answerPiece(bytes);
    else this.#pieces.add(bytes);
  }

  override endAnswer(): void {
    if (this.#pieces === null) super.endAnswer();
    else this.#pieces.end();
  }

  override cutAnswer(): boolean {
    return this.#pieces === null ? super.cutAnswer() : this.#pieces.cut();
  }

  protected lined(headers: string): string {
    return headers;
  }
}

/** In bytes; of a text its UTF-16 units, of which it has at least as many bytes. */
const lengthAtLeast = (body: string | Uint8Array): number => body.length;

/** Before the other lines, since a line that stands last is looked for there (page-visit.ts). */
const varied = (headers: string): string => VARY_BY_CODING + headers;
const coded = (headers: string, coding: Coding): string => `Content-Encoding: ${coding}\n${varied(headers)}`;
