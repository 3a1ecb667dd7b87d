/** A visit around another one, whose answers get further header lines; everything else is the other's. */
import type { Body } from '#actors/protocol/frame.ts';
import type { AnswerSink, BodySink, Visit, VisitWatcher } from './port.ts';

export abstract class AroundVisit implements Visit {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly began: number;
  readonly #visit: Visit;

  /** Within the handler's synchronous part. */
  constructor(visit: Visit) {
    this.method = visit.method;
    this.path = visit.path;
    this.query = visit.query;
    this.began = visit.began;
    this.#visit = visit;
  }

  /** The lines of an answer with those that are added. */
  protected abstract lined(headers: string): string;

  get upgrades(): boolean {
    return this.#visit.upgrades === true;
  }

  get onSocket(): boolean {
    return this.#visit.onSocket === true;
  }

  get loginLines(): string | undefined {
    return this.#visit.loginLines;
  }

  get aborted(): boolean {
    return this.#visit.aborted;
  }

  header(name: string): string {
    return this.#visit.header(name);
  }

  headers(name: string): string {
    return this.#visit.headers(name);
  }

  ip(): string {
    return this.#visit.ip();
  }

  peer(): string {
    return this.#visit.peer();
  }

  readBody(max: number, done: (body: Body) => void, tooLarge: () => void, tooSlow?: () => void): void {
    this.#visit.readBody(max, done, tooLarge, tooSlow);
  }

  watch(watcher: VisitWatcher, no: number): void {
    this.#visit.watch(watcher, no);
  }

  answer(status: number, headers: string, body: string | Uint8Array, requestId?: string): void {
    this.#visit.answer(status, this.lined(headers), body, requestId);
  }

  readPieces(sink: BodySink): void {
    this.#visit.readPieces(sink);
  }

  pauseBody(): void {
    this.#visit.pauseBody();
  }

  resumeBody(): void {
    this.#visit.resumeBody();
  }

  beginAnswer(status: number, headers: string, length: number, sink: AnswerSink, requestId: string): void {
    this.#visit.beginAnswer(status, this.lined(headers), length, sink, requestId);
  }

  answerPiece(bytes: Uint8Array): void {
    this.#visit.answerPiece(bytes);
  }

  endAnswer(): void {
    this.#visit.endAnswer();
  }

  cutAnswer(): boolean {
    return this.#visit.cutAnswer();
  }
}
