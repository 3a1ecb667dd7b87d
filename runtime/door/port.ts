/**
 * The port between a socket server and the node. Two servers implement it (uws.ts, node-http.ts), and both must pass one case file
 * (test/runtime/door/door.cases.ts).
 */
import type { Body } from '#actors/protocol/frame.ts';
import type { ConnectionBudget } from './connection-budget.ts';
import type { LiveFigures } from './live/live-figures.ts';
import type { Unsent } from '#actors/kit/unsent.ts';
import type { Pace } from './transfers.ts';

/** One request, from its head to its answer. It is answered at most once; a visit whose caller left is never answered. */
export interface Visit {
  /** Upper case. HEAD stays HEAD; the door itself leaves the body out of its answer. */
  readonly method: string;
  /** Raw: neither decoded nor normalised, without the query; begins with `/`. */
  readonly path: string;
  /** Raw, without its `?`; '' when there is none. */
  readonly query: string;
  /** When its head had arrived, in milliseconds of the monotonic clock. */
  readonly began: number;
  /** True once the caller has gone; answers are then dropped. */
  readonly aborted: boolean;
  /** It is the handshake of a WebSocket, and an answer 101 makes its connection one. */
  readonly upgrades?: boolean;
  /** It is a message of a WebSocket. */
  readonly onSocket?: boolean;
  /** Lines of the extra field by which the refresh token of a login is in a cookie of the console (runtime/console/cookie-login.ts). */
  readonly loginLines?: string | undefined;
  /**
   * The value of a request header, its name in lower case; the first of several, '' when absent. Only inside the handler's
   * synchronous part: afterwards it throws, since the server reuses the memory.
   */
  header(name: string): string;
  /** All values of a request header, joined by `, ` in their order; by the rules of header(). */
  headers(name: string): string;
  /** The caller's address in its shortest text form, IPv4-mapped addresses as IPv4; '' when unknown. Inside the handler's synchronous part; not cheap. */
  ip(): string;
  /** The caller's client certificate, DER in base64, not verified; '' without one. Inside the handler's synchronous part. */
  peer(): string;
  /**
   * Reads the body: `done` once with all of it ('' when there is none; latin1 up to INLINE_BYTES_MAX, else bytes of its
   * own), or `tooLarge` once, as soon as more than `max` bytes are declared or seen, or `tooSlow` once, where the caller sends too
   * slowly and the connection closes after the answer; none of them after an abort. Each may be called before readBody returns. To be
   * called at most once and inside the handler's synchronous part; a body that is not read is discarded.
   */
  readBody(max: number, done: (body: Body) => void, tooLarge: () => void, tooSlow?: () => void): void;
  /** Calls `watcher.gone(no)` when the caller goes before it was answered. Costs nothing until then. */
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
  /** Stops the body until resumeBody(); a piece that was read before may still come. */
  pauseBody(): void;
  resumeBody(): void;
  /**
   * Begins an answer whose body follows in pieces, by the rules of answer(); with a negative length, which means unknown, it is chunked.
   * A chunked request gets 411 instead, unless the answer is short: its connection must close behind the answer, which uWebSockets.js
   * can only do with an answer that leaves whole. Not for a request whose body was read in pieces.
   */
  beginAnswer(status: number, headers: string, length: number, sink: AnswerSink, requestId: string): void;
  /** A further piece of the answer that was begun; without effect once the caller has gone. */
  answerPiece(bytes: Uint8Array): void;
  endAnswer(): void;
  /** Ends the connection in the middle of an answer that cannot be finished; false when none was begun. */
  cutAnswer(): boolean;
}

/** Is called when a caller left before its answer. */
export interface VisitWatcher {
  gone(no: number): void;
}

/** Takes a body in pieces. */
export interface BodySink {
  /** The bytes own their buffer, so that it can be transferred. */
  piece(bytes: Uint8Array): void;
  end(): void;
  /** The caller left before the end. */
  gone(): void;
  /** The caller sends too slowly: no more will come. The visit can still be answered, and the connection closes behind the answer. */
  tooSlow(): void;
}

/** Is called while an answer leaves in pieces. */
export interface AnswerSink {
  /** `bytes` have left for the caller: as many may follow. */
  taken(bytes: number): void;
  /** The rest is not wanted: the caller left, or asked for the head only. */
  gone(): void;
}

export type VisitHandler = (visit: Visit) => void;

/** Paths of the PEM files of a certificate and its key. */
export interface TlsFiles {
  readonly keyFile: string;
  readonly certFile: string;
  /** A further pair that may not be there yet: until it is, its names are shown another. */
  readonly isAwaited?: true;
}

export interface DoorTls extends TlsFiles {
  /** Shown to callers that name one of the certificate's DNS names (RFC 6066 §3); all others are shown the pair above. */
  readonly others?: readonly TlsFiles[];
  /** Asks callers for a certificate, and speaks TLS 1.3 only; node:http only. The service behind the door verifies the certificate. */
  readonly requestCert?: boolean;
}

/** Where handshakes of WebSockets are taken. */
export interface SocketPath {
  /** The path that handshakes name. */
  readonly at: string;
  /** The path whose route judges them. */
  readonly path: string;
  /** The longest message of a caller. */
  readonly messageBytesMax: number;
}

/** Milliseconds. */
export interface DoorTimes {
  /** For a whole request, head and body, from its first byte on; on a new connection from its opening on. */
  readonly readMs: number;
  /** For an answer, from the moment it is given to its last byte. */
  readonly writeMs: number;
  /** For a connection between two requests. */
  readonly idleMs: number;
}

export interface DoorOptions {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly tls?: DoorTls;
  /** Answers HTTP/1.0 too, one request a connection; node:http only, since uWebSockets.js refuses it before this code runs. */
  readonly http10?: boolean;
  /** How long close() waits for answers in flight; limits.door.drainMs when absent. */
  readonly drainMs?: number;
  /** The pace that callers have to keep; that of the limits when absent. */
  readonly pace?: Pace;
  /** Times instead of a pace; node:http only, since those of uWebSockets.js are fixed. */
  readonly times?: DoorTimes;
  /** Bounds the open connections of all doors that share it; no bound without it. */
  readonly connections?: ConnectionBudget;
  /** Counts answer bytes that callers do not take, over all doors of the node; this door counts alone when absent. */
  readonly unsent?: Unsent;
  /** Called with an exception that escaped from the handler; its visit is answered 500. */
  readonly onFault?: (error: unknown) => void;
  /** Called for each answer that was cut because its caller took it too slowly. */
  readonly onSlow?: () => void;
  /** Where its WebSockets are counted. */
  readonly live?: LiveFigures;
  /** Paths at which handshakes of WebSockets are taken (`live/`); uWebSockets.js only: elsewhere they are requests like others. */
  readonly sockets?: readonly SocketPath[];
  /** Called with the reason when node:http serves because uWebSockets.js does not load. */
  readonly onNoAddon?: (fault: unknown) => void;
}

/** A certificate that a door shows from now on. */
export interface CertificateNews {
  readonly subject: string;
  readonly until: string;
  readonly sha256: string;
  /** Of the further pairs: their names, and until when. */
  readonly others?: readonly string[];
}

export interface Door {
  /** The port that it listens on. */
  readonly port: number;
  /**
   * Reads its certificate and its key again; connections that come afterwards get the new ones. Rejects where the two cannot be used, and keeps
   * the present ones. Null without TLS.
   */
  renew(): Promise<CertificateNews | null>;
  /** The door closes soon: it still listens, and each answer ends its connection (RFC 9112 §9.6). */
  retire(): void;
  /**
   * Stops accepting and closes idle connections. Visits under way are still answered, each with `Connection: close`.
   * Resolves when all connections are gone, or cuts them after drainMs.
   */
  close(): Promise<void>;
}

export type OpenDoor = (options: DoorOptions, handler: VisitHandler) => Promise<Door>;
