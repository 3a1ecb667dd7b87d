/**
 * graphql-transport-ws (docs/contract/changes.md §10.4): each operation is a `POST /data/graphql` whose answer is the server-sent events of GraphQL over SSE, so
 * that subscriptions, queries and mutations are judged and counted as over HTTP.
 */
import { limits } from '#config/limits.ts';
import { close, say, SILENT, type Asked, type Broken, type Dialect, type LiveRequest, type Told } from './dialect.ts';
import * as speak from './graphql-message.ts';
import type { GraphqlMessage, Operation } from './graphql-message.ts';

const { graphqlAnswerBytesMax } = limits.changes;

/** Between two events. */
const GAP = Buffer.from('\n\n');
const ACK = ['{"type":"connection_ack"}'];
const PONG = say(['{"type":"pong"}']);

const TOO_LARGE = JSON.stringify([
  {
    message: `the answer takes more than ${graphqlAnswerBytesMax} bytes, ask by POST; what a mutation wrote is written`,
    extensions: { code: 'v2.graphql_too_complex', details: { most: graphqlAnswerBytesMax } },
  },
]);

export class GraphqlDialect implements Dialect {
  readonly protocol = 'graphql';
  held = 0;
  readonly #path: string;
  #isAcknowledged = false;
  /** What has come of an event whose end has not, by operation: a large answer comes in pieces that are cut anywhere. */
  readonly #parts = new Map<string, Buffer[]>();

  /** `path`: that of POST. */
  constructor(path: string) {
    this.#path = path;
  }

  asked(text: string): Asked {
    const message = speak.parseGraphqlMessage(text);
    switch (message.type) {
      case 'fault':
        return close('malformed', message.fault);
      case 'connection_init':
        return this.#init(message);
      case 'ping':
        return PONG;
      case 'pong':
        return SILENT;
      case 'subscribe':
        if (!this.#isAcknowledged) return close('unacknowledged');
        return { type: 'subscribe', id: message.id, request: requestOf(this.#path, message.payload) };
      case 'complete':
        return { type: 'unsubscribe', id: message.id };
    }
  }

  begun(): readonly string[] {
    return [];
  }

  events(id: string, piece: Uint8Array): Told {
    const blocks = this.#whole(id, piece).split('\n\n');
    const texts: string[] = [];
    for (const block of blocks) {
      const answer = speak.eventOf(block);
      if (answer === null) return { ...endedBy(id, texts), ends: true };
      if (answer !== undefined) texts.push(speak.nextMessage(id, answer));
    }
    if (this.#partBytes(id) <= graphqlAnswerBytesMax) return { texts, ends: false, unproven: false };
    this.#drop(id);
    return { texts: [...texts, speak.errorMessage(id, TOO_LARGE)], ends: true, unproven: false };
  }

  /** Events that came at once, the answer that was kept for an Idempotency-Key, or a refusal. */
  answered(id: string, status: number, headers: string, body: string): Told {
    if (status === 200 && body.startsWith('event: ')) return this.events(id, Buffer.from(body));
    if (status === 200) return { texts: wholeAnswer(id, body), ends: true, unproven: false };
    const texts = [speak.errorMessage(id, speak.refusedErrors(status, headers, body))];
    return { texts, ends: true, unproven: status === 401 };
  }

  left(id: string): readonly string[] {
    this.#drop(id);
    return [];
  }

  /** A caller may come back where it was: clients of the protocol do that once the connection has closed, and not behind an error. */
  over(id: string): Broken {
    const kept = Buffer.concat(this.#parts.get(id) ?? []).toString();
    this.#drop(id);
    // The whole answer that was kept for an Idempotency-Key, which came in pieces.
    if (kept.startsWith('{') && kept.endsWith('}')) return { texts: wholeAnswer(id, kept), closes: null };
    return { texts: [], closes: 'brokeOff' };
  }

  #init({ payload }: Extract<GraphqlMessage, { readonly type: 'connection_init' }>): Asked {
    if (this.#isAcknowledged) return close('tooManyInits');
    const credential = speak.credentialOf(payload ?? {});
    if (credential === false) return close('malformed', 'payload: a credential is printable ASCII');
    this.#isAcknowledged = true;
    return say(ACK, credential);
  }

  /** The events that are whole now, as text; what follows the last one waits for its rest. */
  #whole(id: string, piece: Uint8Array): string {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    const parts = this.#parts.get(id) ?? [];
    const end = endOfLast(bytes, parts.at(-1));
    const rest = bytes.subarray(end);
    if (end > 0) this.#drop(id);
    if (rest.length > 0) {
      const open = end > 0 ? [] : parts;
      // The piece's memory is given back.
      open.push(Buffer.from(rest));
      this.#parts.set(id, open);
      this.held += rest.length;
    }
    return end === 0 ? '' : Buffer.concat([...parts, bytes.subarray(0, end)]).toString();
  }

  #partBytes(id: string): number {
    let bytes = 0;
    for (const part of this.#parts.get(id) ?? []) bytes += part.length;
    return bytes;
  }

  #drop(id: string): void {
    this.held -= this.#partBytes(id);
    this.#parts.delete(id);
  }
}

/** Where the last whole event ends in a piece; 0 for none. The gap behind it may have begun in the piece `before`. */
function endOfLast(piece: Buffer, before: Buffer | undefined): number {
  const at = piece.lastIndexOf(GAP);
  if (at >= 0) return at + GAP.length;
  return piece[0] === GAP[0] && before?.at(-1) === GAP[0] ? 1 : 0;
}

function requestOf(path: string, operation: Operation): LiveRequest {
  const fields = new Map([
    ['accept', 'text/event-stream'],
    ['content-type', 'application/json'],
    ['idempotency-key', speak.keyOf(operation)],
  ]);
  return { method: 'POST', path, query: '', body: speak.bodyOf(operation), fields };
}

/** The end of an operation behind its messages: an answer without `data` is the protocol's `error`, which ends it. */
function endedBy(id: string, texts: readonly string[]): Pick<Told, 'texts' | 'unproven'> {
  const head = speak.nextMessage(id, '').slice(0, -1);
  const errors = speak.errorsOf(texts.at(-1)?.slice(head.length, -1) ?? '');
  if (errors === null) return { texts: [...texts, speak.completeMessage(id)], unproven: false };
  const [first] = JSON.parse(errors) as { readonly extensions?: { readonly code?: string } }[];
  return {
    texts: [...texts.slice(0, -1), speak.errorMessage(id, errors)],
    unproven: first?.extensions?.code === 'unauthorized',
  };
}

function wholeAnswer(id: string, answer: string): string[] {
  const errors = speak.errorsOf(answer);
  if (errors !== null) return [speak.errorMessage(id, errors)];
  return [speak.nextMessage(id, answer), speak.completeMessage(id)];
}
