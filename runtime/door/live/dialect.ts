/**
 * What the messages of a WebSocket mean: the protocol that it speaks. All else of a connection, its bounds, its credential and its ends, is the same for
 * each protocol (live-connection.ts).
 */
import type { Closed } from './close-codes.ts';
import type { LiveProtocol } from './live-figures.ts';

/** A request that a message asks for; its position and its credential are those of the connection. */
export interface LiveRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** On the listener of the connection. */
  readonly path: string;
  readonly query: string;
  /** '' for none. */
  readonly body: string;
  /** Fields that count instead of those of the handshake; '' for none. */
  readonly fields: ReadonlyMap<string, string>;
}

/** What a message asks of its connection. */
export type Asked =
  | { readonly type: 'subscribe'; readonly id: string; readonly request: LiveRequest }
  | { readonly type: 'unsubscribe'; readonly id: string }
  /** Says something; `authorization`: the credential of what follows, null for that of before. */
  | { readonly type: 'say'; readonly texts: readonly string[]; readonly authorization: string | null }
  | { readonly type: 'close'; readonly why: Closed; readonly more: string };

/** Messages to a caller about one of its requests. */
export interface Told {
  readonly texts: readonly string[];
  /** The last one says that nothing follows. */
  readonly ends: boolean;
  /** It ends since its credential does not count any more. */
  readonly unproven: boolean;
}

/** What is said when a request is over that was told no end, and with what its connection closes; null where that stays open. */
export interface Broken {
  readonly texts: readonly string[];
  readonly closes: Closed | null;
}

export interface Dialect {
  readonly protocol: LiveProtocol;
  /** Bytes of answers that it gathers. */
  readonly held: number;
  asked(text: string): Asked;
  /** A request was accepted, and events follow. */
  begun(id: string): readonly string[];
  events(id: string, piece: Uint8Array): Told;
  /** A request has its whole answer. */
  answered(id: string, status: number, headers: string, body: string): Told;
  /** A caller does not want the rest. */
  left(id: string): readonly string[];
  /** A request is over that was told no end; `broken`: its thread is gone. */
  over(id: string, broken: boolean): Broken;
}

export const say = (texts: readonly string[], authorization: string | null = null): Asked => ({
  type: 'say',
  texts,
  authorization,
});

export const close = (why: Closed, more = ''): Asked => ({ type: 'close', why, more });

export const SILENT = say([]);
