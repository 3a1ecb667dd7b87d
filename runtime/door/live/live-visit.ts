/**
 * One subscription or operation of a WebSocket, as the door sees it: a request whose head is that of the handshake and whose answer becomes messages. So position,
 * standing, rates, quota and credential are judged as for every other request, and a subscription counts among all others.
 */
import type { Drain } from '../drain.ts';
import type { AnswerSink, BodySink, Visit, VisitWatcher } from '../port.ts';
import type { Body } from '#actors/protocol/frame.ts';
import { BodyCollector } from '../collect-body.ts';
import type { LiveRequest } from './dialect.ts';

/** What a visit tells of itself. */
export interface LiveEvents {
  /** It was accepted, and its events follow. */
  begun(visit: LiveVisit): void;
  /** Events, whose bytes the visit no longer needs; `taken` is called once they have left. */
  events(visit: LiveVisit, bytes: Uint8Array): void;
  /** It was refused, or it has its whole answer. */
  answered(visit: LiveVisit, status: number, headers: string, body: string): void;
  /** No more follows; `broken`: without an end of its own, since its thread is gone. */
  over(visit: LiveVisit, broken: boolean): void;
}

/** The head of the handshake, and what a message adds to it. */
export interface LiveHead {
  readonly ip: string;
  readonly credentialNo: number;
  field(name: string): string;
  fields(name: string): string;
}

export class LiveVisit implements Visit {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly began = performance.now();
  readonly onSocket = true;
  /** Which of the connection's credentials it shows. */
  readonly credentialNo: number;
  aborted = false;
  /** Its caller was told that nothing follows. */
  isTold = false;
  readonly #request: LiveRequest;
  readonly #head: LiveHead;
  readonly #events: LiveEvents;
  readonly #drain: Drain;
  #watcher: VisitWatcher | null = null;
  #watchNo = 0;
  #sink: AnswerSink | null = null;
  #isOver = false;

  constructor(id: string, request: LiveRequest, head: LiveHead, events: LiveEvents, drain: Drain) {
    this.id = id;
    this.path = request.path;
    this.method = request.method;
    this.query = request.query;
    this.#request = request;
    this.credentialNo = head.credentialNo;
    this.#head = head;
    this.#events = events;
    this.#drain = drain;
    drain.enter();
  }

  header(name: string): string {
    return this.#request.fields.get(name) ?? this.#head.field(name);
  }

  headers(name: string): string {
    return this.#request.fields.get(name) ?? this.#head.fields(name);
  }

  ip(): string {
    return this.#head.ip;
  }

  peer(): string {
    return '';
  }

  readBody(max: number, done: (body: Body) => void, tooLarge: () => void): void {
    const bytes = Buffer.from(this.#request.body);
    const collector = new BodyCollector(max);
    if (collector.admit(bytes)) done(collector.finish(bytes));
    else tooLarge();
  }

  readPieces(sink: BodySink): void {
    const { body } = this.#request;
    if (body !== '') sink.piece(new Uint8Array(Buffer.from(body)));
    sink.end();
  }

  pauseBody(): void {}

  resumeBody(): void {}

  watch(watcher: VisitWatcher, no: number): void {
    this.#watcher = watcher;
    this.#watchNo = no;
  }

  answer(status: number, headers: string, body: string | Uint8Array): void {
    if (this.aborted || this.#isOver) return;
    this.#watcher = null;
    this.#events.answered(this, status, headers, typeof body === 'string' ? body : Buffer.from(body).toString());
    this.#end(false);
  }

  beginAnswer(_status: number, _headers: string, _length: number, sink: AnswerSink): void {
    if (this.aborted || this.#isOver) {
      sink.gone();
      return;
    }
    this.#watcher = null;
    this.#sink = sink;
    this.#events.begun(this);
  }

  answerPiece(bytes: Uint8Array): void {
    if (!this.aborted && !this.#isOver) this.#events.events(this, bytes);
  }

  endAnswer(): void {
    this.#end(false);
  }

  cutAnswer(): boolean {
    if (this.#sink === null) return false;
    this.#end(true);
    return true;
  }

  /** So many bytes of its events have left. */
  taken(bytes: number): void {
    if (!this.#isOver) this.#sink?.taken(bytes);
  }

  /** Its caller does not want the rest. */
  leave(): void {
    if (this.aborted || this.#isOver) return;
    this.aborted = true;
    this.#isOver = true;
    this.#watcher?.gone(this.#watchNo);
    this.#sink?.gone();
    this.#drain.leave();
  }

  #end(broken: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#drain.leave();
    this.#events.over(this, broken);
  }
}
