/**
 * The port between a socket server and the node. Two servers implement it (uws.ts, node-http.ts); one case file
 * (test/runtime/door/door.cases.ts) says what both must do.
 */
import type { Body } from '#actors/protocol/frame.ts';
import type { ConnectionBudget } from './connection-budget.ts';
import type { Unsent } from '#actors/kit/unsent.ts';
import type { Pace } from './transfers.ts';

/** One request, from its head to its answer. It is answered at most once; a visit whose caller left is never answered. */
export interface Visit {
  /** Upper case; HEAD stays HEAD, although the door sends its answer without the body. */
  readonly method: string;
  /** Raw: neither decoded nor normalised, without the query; begins with `/`. */
  readonly path: string;
  /** Raw, without its `?`; '' when there is none. */
  readonly query: string;
  /** True once the caller has gone; answers are then dropped. */
  readonly aborted: boolean;
  /**
   * The value of a request header, its name in lower case; '' when absent, the first of several. Only inside the handler's
   * own synchronous part: it throws afterwards, since the server reuses the place.
   */
  header(name: string): string;
  /** All values of a request header, joined by `, ` in their order; by the rules of header(). */
  headers(name: string): string;
  /** The caller's address in its shortest text form, IPv4-mapped addresses as IPv4; '' when unknown. Inside the handler's synchronous part; not cheap. */
  ip(): string;
  /** The certificate that the caller showed, DER in base64, which nobody has judged; '' without one. Inside the handler's synchronous part. */
  peer(): string;
  /**
   * Reads the body: `done` once with all of it ('' when there is none; latin1 up to INLINE_BYTES_MAX, else bytes of its
   * own), or `tooLarge` once, as soon as more than `max` bytes are declared or seen; neither after an abort. Either
   * may come before readBody returns. To be called at most once and inside the handler's synchronous part; a body that
   * nobody reads is discarded. `tooSlow` instead, where the caller sends it too slowly; the connection closes after that answer.
   */
  readBody(max: number, done: (body: Body) => void, tooLarge: () => void, tooSlow?: () => void): void;
  /** Tells the watcher, by its number, when the caller goes before an answer was given. Costs nothing until then. */
  watch(watcher: VisitWatcher, no: number): void;
  /**
   * Sends the answer. `headers`: lines `Name: value\n`, each ending in `\n`, or ''. A string body is sent as UTF-8. The
   * door adds `X-Request-Id` when one is given (apart from the other lines, which repeat and are kept ready), Content-Length (and to a HEAD the length that the GET would have; 204 and 304 have neither length nor body).
   * Ignored after an abort and the second time.
   */
  answer(status: number, headers: string, body: string | Uint8Array, requestId?: string): void;
  /**
   * Reads the body in pieces, without a cap. Called instead of readBody, by its rules. An answer that comes before the
   * body's end waits until the rest was dropped, or closes the connection when that is much.
   */
  readPieces(sink: BodySink): void;
  /** Lets no further piece come until resumeBody(); one that is already here may. */
  pauseBody(): void;
  resumeBody(): void;
  /**
   * Begins an answer whose body follows in pieces; a negative length is unknown, and the answer
   * chunked. By the rules of answer(). A chunked request gets 411 instead: its connection must close behind the answer, which uWebSockets.js
   * can only do with an answer that leaves whole. Not for a body that was read in pieces.
   */
  beginAnswer(status: number, headers: string, length: number, sink: AnswerSink, requestId: string): void;
  /** A further piece of the answer that was begun; without effect once the caller has gone. */
  answerPiece(bytes: Uint8Array): void;
  endAnswer(): void;
  /** Ends the connection in the middle of an answer that cannot be finished; false when none was begun. */
  cutAnswer(): boolean;
}

/** Told of a caller that left before its answer. */
export interface VisitWatcher {
  gone(no: number): void;
}

/** Told of a body that is read in pieces. */
export interface BodySink {
  /** Bytes of its own, fit to be transferred. */
  piece(bytes: Uint8Array): void;
  end(): void;
  /** The caller left before the end. */
  gone(): void;
  /** The caller sends too slowly: no more will come. Its visit can still be answered, and the connection closes behind the answer. */
  tooSlow(): void;
}

/** Told of an answer that leaves in pieces. */
export interface AnswerSink {
  /** So many bytes are on their way to the caller: as many may follow. */
  taken(bytes: number): void;
  /** Nobody takes the rest: the caller left, or asked for the head only. */
  gone(): void;
}

export type VisitHandler = (visit: Visit) => void;

/** Paths of PEM files. */
export interface DoorTls {
  readonly keyFile: string;
  readonly certFile: string;
  /** Asks callers for a certificate, and speaks TLS 1.3 only: on the twin alone. Who judges it is behind the door. */
  readonly requestCert?: boolean;
}

/** Milliseconds. */
export interface DoorTimes {
  /** A whole request, its head and its body, from the first byte on; of a new connection from its opening on. */
  readonly readMs: number;
  /** An answer, from when it is there to its last byte. */
  readonly writeMs: number;
  /** A connection between two requests. */
  readonly idleMs: number;
}

export interface DoorOptions {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly tls?: DoorTls;
  /** Answers HTTP/1.0 too, each on a connection of its own: on the twin alone, for uWebSockets.js refuses it before anything of ours runs. */
  readonly http10?: boolean;
  /** How long close() waits for answers in flight; limits.door.drainMs when absent. */
  readonly drainMs?: number;
  /** What slow callers are held to; that of the limits when absent. */
  readonly pace?: Pace;
  /** Times instead of a pace: on the twin alone, for those of uWebSockets.js are fixed. */
  readonly times?: DoorTimes;
  /** How many connections may be open, over all doors that share it; no bound without it. */
  readonly connections?: ConnectionBudget;
  /** Bytes that callers do not take, of all doors of the node; a count of this door's own when absent. */
  readonly unsent?: Unsent;
  /** Told of an exception that escaped the handler; its visit is answered 500. */
  readonly onFault?: (error: unknown) => void;
  /** Told of each answer that was cut because its caller took it too slowly. */
  readonly onSlow?: () => void;
}

/** A certificate that a door shows from now on. */
export interface CertificateNews {
  readonly subject: string;
  readonly until: string;
  readonly sha256: string;
}

export interface Door {
  /** The port that it listens on. */
  readonly port: number;
  /**
   * Reads its certificate and its key again, for the connections that come from then on; those that are there go on. Rejects where the two cannot
   * be used, and keeps those that it has. Null without TLS.
   */
  renew(): Promise<CertificateNews | null>;
  /**
   * Stops accepting and closes idle connections. Visits under way are still answered, each with `Connection: close`.
   * Resolves when all connections are gone, or cuts them after drainMs.
   */
  close(): Promise<void>;
}

export type OpenDoor = (options: DoorOptions, handler: VisitHandler) => Promise<Door>;
