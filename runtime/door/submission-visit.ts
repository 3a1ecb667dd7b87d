/** A visit of `POST /f/{id}`: its answers have the CORS lines that a page of an allowed origin needs, and it keeps the fields of intake's log line. */
import type { Body } from '#actors/protocol/frame.ts';
import { corsLines } from './cors.ts';
import type { AnswerSink, BodySink, Visit, VisitWatcher } from './port.ts';

export class SubmissionVisit implements Visit {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** The form's id, as the path has it. */
  readonly form: string;
  /** '' when it is unknown. */
  readonly callerIp: string;
  /** The declared length; 0 for a body without one. */
  readonly bytes: number;
  readonly began: number;
  readonly #visit: Visit;
  readonly #lines: string;

  /** Within the handler's synchronous part. */
  constructor(visit: Visit, form: string, callerIp: string, origins: readonly string[] | undefined) {
    this.method = visit.method;
    this.path = visit.path;
    this.query = visit.query;
    this.began = visit.began;
    this.form = form;
    this.callerIp = callerIp;
    this.bytes = Number(visit.header('content-length'));
    this.#visit = visit;
    this.#lines = corsLines(visit, origins);
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
    this.#visit.answer(status, this.#lines === '' ? headers : headers + this.#lines, body, requestId);
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
    this.#visit.beginAnswer(status, headers + this.#lines, length, sink, requestId);
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
