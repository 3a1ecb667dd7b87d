/** Routes as data. A row says everything the door, the host, OpenAPI and the documentation need to know of an endpoint. */
import type { z } from 'zod';
import type { BodyOf, Bytes, Json, JsonType, Rendered, RenderedStream, ReplyStream, Text, TypeFor } from './body.ts';
import type { Callers } from './callers.ts';
import type { Method } from './method.ts';
import type { Refusal, RefusalTable } from './refusal.ts';

/** The verb that a handler sees for each verb without a row, HEAD and OPTIONS included, where its row has `everyVerb`. */
export const OTHER_VERB = 'OTHER';

/** Where a missing, malformed or unknown position is answered: by the `door` (data's order), by the `host` (identity's own order), or never. */
export type PositionRule = 'door' | 'host' | 'none';

/** Which thread answers: the tenant's host (the control plane's where no position is taken), the intake writer, the audit sealer, or the vault keeper. */
export type Destination = 'tenant' | 'intake' | 'audit' | 'vault';

export interface RouteRow {
  readonly methods: readonly [Method, ...Method[]];
  /** Public path on the gateway; `{name}` matches one segment; `{name*}` (last) matches the rest. */
  readonly path: string;
  /** Verbs that are not declared at this path reach the handler as `OTHER_VERB`: HEAD is not taken for GET there, and the door does not answer OPTIONS. */
  readonly everyVerb?: boolean;
  /** An empty parameter reaches the handler, which has a refusal of its own for it; without this it is a bare 404. */
  readonly emptyParams?: boolean;
  readonly position: PositionRule;
  /** Where the position stands: in the four headers, unless this says that the query begins with it, as a signed URL's does. */
  readonly positionIn?: 'query';
  /** A ticket in the query, where pages can write no header, may stand for a credential; beside it `position` may stand for the headers. */
  readonly ticketed?: true;
  readonly to?: Destination;
  /** `own`: only on the service's own listener, not on the gateway. */
  readonly listener?: 'own';
  /** Served over plain HTTP, too, on the listener `pki`: what the vault's authority publishes, signed in itself (RFC 5280 §8, RFC 6960 §A.1). */
  readonly plain?: true;
  /** Which callers it admits, and whether a credential is read at all. */
  readonly callers: Callers;
  /**
   * Rate profile, decided by the door before the body is read. Every row that admits callers without a credential names one
   * (test/architecture/anonymous-routes.test.ts); a profile that config/limits.ts does not have limits nothing until the platform file
   * gives it numbers.
   */
  readonly rate?: string;
  /** `stream`: raw data that crosses the threads in pieces, without a cap. */
  readonly body: 'none' | 'json' | 'form' | 'stream';
  /** An `application/x-www-form-urlencoded` body is taken too; the row names `content-type` among its headers. */
  readonly urlencoded?: boolean;
  /** A `multipart/form-data` body is taken too, in pieces; the row's `body` says what any other type is. */
  readonly multipart?: boolean;
  /** Request headers that reach the handler only beside a query: those of a mode that a parameter chooses. */
  readonly queryHeaders?: readonly string[];
  /**
   * Request headers (lower case) that the handler reads, besides the position and the credential; `:ip` is the caller's address, `:bucket`
   * the key of its bucket, `:peer` its certificate, `:verb` tells HEAD from GET,
   * `:socket` a handshake that the door can complete.
   */
  readonly headers?: readonly string[];
  /** Cap in bytes when it differs from the node's JSON cap. */
  readonly bodyBytesMax?: number;
  /**
   * Its requests are let in while the tenant is read-only, although the verb is one that writes: they may only read, or they belong to a
   * login. What they stage is still judged at the commit (actors/host/read-only.ts).
   */
  readonly whileReadOnly?: true;
  /**
   * `gives`: its answer has tokens, which a page of a site may ask for in cookies, or is given where its credential is one. `ends`: it ends what these cookies stand for. `tells`: it reads none, and
   * says whether there could be some (docs/contract/identity-cookies.md §1).
   */
  readonly cookies?: 'gives' | 'ends' | 'tells';
  /**
   * Whether its answers may leave compressed; when absent, what its service says (runtime/door/compress/compressed-rows.ts). `false` where an answer may hold a
   * secret beside text that its caller chose: the length of the compressed answer would tell of both (BREACH).
   */
  readonly compressed?: boolean;
  /**
   * Handshakes of WebSockets are taken at its path (runtime/door/live/): an answer 101 of its handler makes the connection one. `above`: and at the path
   * without its last segment.
   */
  readonly socket?: { readonly messageBytesMax: number; readonly above?: true };
  /** Origins whose pages may call it and read its answers (CORS); never `*`, never with credentials. */
  readonly cors?: readonly string[];
  /** The door may give an answer 200 again for so long, without the thread, to all callers of the same path, unless the answer says `no-store`. For answers that depend on nothing else of the request; their thread tells the door when they are over (runtime/door/kept-answers.ts). Milliseconds. */
  readonly keptMs?: number;
  /** When the reply leaves: `fsync` after what it wrote is durable; `memory` where the contract allows less. Reads are `fsync` too: a reply never shows what a crash could take back. */
  readonly ack: 'fsync' | 'memory';
  readonly request?: z.ZodType;
  /** Status → shape of the body (null: no body). */
  readonly replies: Readonly<Record<number, z.ZodType | null>>;
  readonly refusals: readonly string[];
  /** The refusal that every admitted caller gets: such a row has no replies, and exists for this answer. */
  readonly always?: string;
  readonly summary: string;
}

export type RouteTable = Readonly<Record<string, RouteRow>>;

/** Fixes the rows' types: an unknown refusal code, here or in a handler, is a compile error. */
export function defineRoutes<C extends RefusalTable>() {
  return <
    const T extends Readonly<
      Record<
        string,
        RouteRow & { readonly refusals: readonly (keyof C & string)[]; readonly always?: keyof C & string }
      >
    >,
  >(
    rows: T,
  ): T => rows;
}

declare const bodyOf: unique symbol;

/** What a handler answers. Only the functions below make one, so that the compiler knows its body (`B`, body.ts) by the row it answers. */
export interface Reply<S extends number = number, B = unknown> {
  readonly kind: 'reply';
  readonly status: S;
  /** Serialised as JSON, unless `text` or `bytes` is given. */
  readonly body?: unknown;
  readonly text?: string;
  readonly bytes?: Uint8Array;
  readonly stream?: ReplyStream;
  /** Content type; JSON when absent. */
  readonly type?: string | undefined;
  readonly headers?: Headers | undefined;
  /** Values of `Set-Cookie`, one line each. */
  readonly cookies?: readonly string[];
  /** `type` and `headers` as a reply record has them, for an answer that is sent many times: then the two are ignored. */
  readonly lines?: string;
  /** Exists in the type only. */
  readonly [bodyOf]: B;
}

type Headers = Readonly<Record<string, string>>;
type Statuses<R extends RouteRow> = Extract<keyof R['replies'], number>;

/** What a row may answer: each status with the body that its shape says, and its refusals. */
export type Outcome<R extends RouteRow> =
  | { [S in Statuses<R>]: Reply<S, BodyOf<R['replies'][S]>> }[Statuses<R>]
  | Refusal<R['refusals'][number]>;

/** The body of a status in a handler's outcome; `never` for a status that the outcome does not have. */
type Body<O, S> = O extends Reply<infer T, infer B> ? (S extends T ? B : never) : never;

/** The reply of a status in an outcome; a reply that fits no row when the outcome has none. */
type Made<O, S extends number> = [Fitting<O, S>] extends [never] ? Reply<S> : Fitting<O, S>;
type Fitting<O, S> = O extends Reply<infer T> ? (S extends T ? O : never) : never;

type ValueArguments<B> = [B] extends [never]
  ? [body?: unknown, headers?: Headers]
  : [B] extends [undefined]
    ? [body?: undefined, headers?: Headers]
    : unknown extends B
      ? [body?: unknown, headers?: Headers]
      : [body: Json<B>, headers?: Headers];

/**
 * A JSON value, or nothing where the row says null. `O` is the type that is expected where the reply stands (a handler's `Outcome`): the
 * compiler refuses a body with missing, wrong or extra fields.
 */
export function reply<S extends number, O>(status: S, ...[body, headers]: ValueArguments<Body<O, S>>): Made<O, S> {
  return made<Made<O, S>>(
    headers === undefined ? { kind: 'reply', status, body } : { kind: 'reply', status, body, headers },
  );
}

/** JSON that is text already: spares a JSON.stringify on hot paths. Its type says what it renders. */
export function replyJson<S extends number, B>(
  status: S,
  text: Rendered<B>,
  headers?: Headers,
  type?: JsonType,
): Reply<S, B> {
  return made<Reply<S, B>>({ kind: 'reply', status, text, type, headers });
}

/** A text of another media type, which the row's shape names. */
export function replyText<S extends number, O>(
  status: S,
  text: string,
  type: TypeFor<Body<O, S>, Text>,
  headers?: Headers,
): Made<O, S> {
  return made<Made<O, S>>({ kind: 'reply', status, text, type, headers });
}

/** Bytes of a media type, which the row's shape names. */
export function replyBytes<S extends number, O>(
  status: S,
  bytes: Uint8Array,
  type: TypeFor<Body<O, S>, Bytes>,
  headers?: Headers,
): Made<O, S> {
  return made<Made<O, S>>({ kind: 'reply', status, bytes, type, headers });
}

/** A body in pieces, of a media type that the row's shape names. */
export function replyStream<S extends number, O>(
  status: S,
  stream: ReplyStream,
  type: TypeFor<Body<O, S>, Text | Bytes>,
  headers?: Headers,
): Made<O, S> {
  return made<Made<O, S>>({ kind: 'reply', status, stream, type, headers });
}

/** JSON in pieces; their type says what they render. */
export function replyJsonStream<S extends number, B>(
  status: S,
  stream: RenderedStream<B>,
  headers?: Headers,
): Reply<S, B> {
  return made<Reply<S, B>>({ kind: 'reply', status, stream, type: 'application/json; charset=utf-8', headers });
}

/** Bytes that are sent many times, with the lines of their head as a reply record has them (`readyReply` of the host). */
export function replyLines<S extends number, B extends Bytes>(
  status: S,
  bytes: Uint8Array,
  lines: string,
): Reply<S, B> {
  return made<Reply<S, B>>({ kind: 'reply', status, bytes, lines });
}

/** The answer to HEAD: status and headers, without the body that the row declares. */
export function replyHead<S extends number, O>(status: S, headers: Headers): Made<O, S> {
  return made<Made<O, S>>({ kind: 'reply', status, body: undefined, headers });
}

/** The reply with cookies for the caller's browser: values of `Set-Cookie`, which must hold visible ASCII alone. */
export function withCookies<R extends Reply>(reply: R, cookies: readonly string[]): R {
  return { ...reply, cookies };
}

/** An answer that a handler of the same row gave elsewhere, or before. */
export function replyAgain(
  status: number,
  text: string,
  type: string | undefined,
  headers: Headers | undefined,
): Reply<never, never> {
  return made<Reply<never, never>>({ kind: 'reply', status, text, type, headers });
}

/** The one place where a reply gets its type: the functions above have checked their arguments against the shape's type. It exists for the compiler only. */
function made<R>(fields: Omit<Reply, typeof bodyOf>): R {
  return fields as R;
}
