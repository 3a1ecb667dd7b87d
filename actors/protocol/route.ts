/** Routes as data. A row says everything the door, the host, OpenAPI and the documentation need to know of an endpoint. */
import type { z } from 'zod';
import type { Callers } from './callers.ts';
import type { Method } from './method.ts';
import type { Refusal, RefusalTable } from './refusal.ts';

/** How a verb that no row declares travels, HEAD and OPTIONS among them, where a service answers for those too (`everyVerb`). */
export const OTHER_VERB = 'OTHER';

/** Where a missing, malformed or unknown position is answered: by the `door` (data's order), by the `host` (identity's own order), or never. */
export type PositionRule = 'door' | 'host' | 'none';

/** Which thread answers: the tenant's host (the control plane's where no position is taken), the intake writer, the audit sealer, or the vault keeper. */
export type Destination = 'tenant' | 'intake' | 'audit' | 'vault';

export interface RouteRow {
  readonly methods: readonly [Method, ...Method[]];
  /** Public path on the gateway; `{name}` matches one segment; `{name*}` (last) matches the rest. */
  readonly path: string;
  /** Verbs that are not declared at this path reach the handler as `OTHER_VERB`: HEAD is no GET there, OPTIONS not the door's. */
  readonly everyVerb?: boolean;
  /** An empty parameter reaches the handler, which has a refusal of its own for it; else it is a bare 404. */
  readonly emptyParams?: boolean;
  readonly position: PositionRule;
  readonly to?: Destination;
  /** `own`: only on the service's own listener, not on the gateway. */
  readonly listener?: 'own';
  /** Served over plain HTTP, too, on the listener `pki`: what the vault's authority publishes, signed in itself (RFC 5280 §8, RFC 6960 §A.1). */
  readonly plain?: true;
  /** Who may call it, and whether a credential is read at all. */
  readonly callers: Callers;
  /**
   * Rate profile, decided by the door before the body is read. Every row that a stranger can call names one (test/architecture/anonymous-routes.test.ts);
   * one that config/limits.ts does not have limits nothing until the platform file gives it numbers.
   */
  readonly rate?: string;
  /** `stream`: raw data that crosses the threads in pieces, without a cap. */
  readonly body: 'none' | 'json' | 'form' | 'stream';
  /** A `multipart/form-data` body is taken too, in pieces; the row's `body` says what any other type is. */
  readonly multipart?: boolean;
  /** Request headers that only travel with a query: those of a mode that a parameter chooses. */
  readonly queryHeaders?: readonly string[];
  /** Request headers (lower case) that the handler reads, besides the position and the credential; `:ip` is the caller's address, `:bucket` as far as it counts for a bucket, `:peer` his certificate, `:verb` tells HEAD from GET. */
  readonly headers?: readonly string[];
  /** Cap in bytes when it differs from the node's JSON cap. */
  readonly bodyBytesMax?: number;
  /** Origins whose pages may call it and read its answers (CORS); never `*`, never with credentials. */
  readonly cors?: readonly string[];
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

/** A body that leaves in pieces as its caller reads. Left early, its iterator is returned, so that it can let go of what it holds. */
export interface ReplyStream {
  /** Bytes in all, or null when nobody knows yet: the answer is then chunked. */
  readonly length: number | null;
  readonly pieces: AsyncIterable<Uint8Array>;
}

export interface Reply<S extends number = number> {
  readonly kind: 'reply';
  readonly status: S;
  /** Serialised as JSON, unless `text` or `bytes` is given. */
  readonly body?: unknown;
  readonly text?: string;
  readonly bytes?: Uint8Array;
  readonly stream?: ReplyStream;
  /** Content type; JSON when absent. */
  readonly type?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** `type` and `headers` as a reply record has them, of an answer that is given again and again: then neither is looked at. */
  readonly lines?: string;
}

export type Outcome<R extends RouteRow> = Reply<Extract<keyof R['replies'], number>> | Refusal<R['refusals'][number]>;

export function reply<S extends number>(
  status: S,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
): Reply<S> {
  return headers === undefined ? { kind: 'reply', status, body } : { kind: 'reply', status, body, headers };
}

/** Already serialised JSON or other text: spares a second JSON.stringify on hot paths. */
export function replyText<S extends number>(
  status: S,
  text: string,
  type?: string,
  headers?: Readonly<Record<string, string>>,
): Reply<S> {
  return { kind: 'reply', status, text, type, headers };
}

/** A body in pieces. */
export function replyStream<S extends number>(
  status: S,
  stream: ReplyStream,
  type: string,
  headers?: Readonly<Record<string, string>>,
): Reply<S> {
  return { kind: 'reply', status, stream, type, headers };
}
