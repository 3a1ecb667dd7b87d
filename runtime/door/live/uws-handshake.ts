/**
 * The handshake of a WebSocket on uWebSockets.js (RFC 6455 §4.2): a visit whose answer 101 makes the connection one, while every other answer leaves as it is. The addon has seen a
 * key of 24 characters before.
 */
import type { HttpRequest, HttpResponse, WebSocket, WebSocketBehavior } from 'uWebSockets.js';
import { limits } from '#config/limits.ts';
import { parsePosition } from '#actors/protocol/position.ts';
import { AnswerHeads } from '../answer-head.ts';
import type { HeaderFields } from '../header-fields.ts';
import type { DoorState } from '../moving-visit.ts';
import { UwsVisit } from '../uws-visit.ts';
import type { CorkAnchor } from './cork-anchor.ts';
import type { LiveConnection, LiveSocket } from './live-connection.ts';
import type { LiveConnections } from './live-connections.ts';

type Context = Parameters<HttpResponse['upgrade']>[4];

/** The addon copies these members to its socket. */
interface Kept {
  readonly live: LiveConnection;
}

const VERSION = '13';
const heads = new AnswerHeads();

/** Fields of the handshake that are its own, or that each subscription has of its own. */
const LEFT_OUT =
  /^(?:sec-websocket-.*|accept|accept-.*|connection|content-.*|idempotency-key|x-request-id|traceparent|tracestate|user-agent|last-event-id)$/;

export class UwsHandshake extends UwsVisit {
  readonly upgrades: boolean;
  readonly #res: HttpResponse;
  readonly #key: string;
  readonly #context: Context;
  readonly #connections: LiveConnections;
  readonly #anchor: CorkAnchor;
  readonly #ip: string;
  readonly #kept: ReadonlyMap<string, string>;

  constructor(
    path: string,
    req: HttpRequest,
    res: HttpResponse,
    fields: HeaderFields,
    door: DoorState,
    upgrade: { readonly context: Context; readonly connections: LiveConnections; readonly anchor: CorkAnchor },
  ) {
    super('GET', path, req, res, fields, door);
    this.#res = res;
    this.#key = fields.get('sec-websocket-key');
    this.#context = upgrade.context;
    this.#connections = upgrade.connections;
    this.#anchor = upgrade.anchor;
    this.upgrades = isHandshake(fields);
    this.#ip = this.ip();
    this.#kept = keptOf(fields, positionOf(this.query));
  }

  /** A page cannot write headers for a WebSocket: where the handshake names no position in them, its query may. */
  override header(name: string): string {
    return super.header(name) || (name.startsWith('x-') ? (this.#kept.get(name) ?? '') : '');
  }

  protected override write(
    status: number,
    headers: string,
    body: string | Uint8Array,
    close: boolean,
    requestId: string,
  ): void {
    if (status === 101) this.#upgrade(headers, requestId);
    else super.write(status, headers, body, close, requestId);
  }

  #upgrade(headers: string, requestId: string): void {
    const res = this.#res;
    const live = this.#connections.admit(this.path, this.#ip, this.#kept);
    this.finish();
    this.#anchor.cork(() => {
      res.writeStatus(heads.of(101, headers, requestId));
      res.upgrade<Kept>({ live }, this.#key, '', '', this.#context);
    }, res);
  }
}

/** Whether a request is a handshake that this door can complete. */
export function isHandshake(fields: HeaderFields): boolean {
  return (
    fields.get('upgrade').toLowerCase() === 'websocket' &&
    fields.get('sec-websocket-version') === VERSION &&
    fields.bodyLength === 0
  );
}

const POSITION = ['x-customer', 'x-product', 'x-env', 'x-tenant'] as const;

function positionOf(query: string): readonly (readonly [string, string])[] {
  const named = new URLSearchParams(query).get('position');
  const position = named === null ? null : parsePosition(named);
  if (position === null) return [];
  const { customer, product, env, tenant } = position;
  return [customer, product, env, tenant].map((segment, i) => [POSITION[i]!, segment]);
}

/** Fields by name; all values of one together. Headers that name a position count alone. */
function keptOf(fields: HeaderFields, position: readonly (readonly [string, string])[]): ReadonlyMap<string, string> {
  const kept = new Map<string, string>();
  for (const name of fields.names()) if (!LEFT_OUT.test(name)) kept.set(name, fields.all(name));
  if (!POSITION.some((name) => kept.has(name))) for (const [name, segment] of position) kept.set(name, segment);
  return kept;
}

/** What the addon does with the sockets of a path. `left`: one is over. Pings are its own: a caller that answers none for so long is gone. */
export function behaviourOf(
  handshake: (res: HttpResponse, req: HttpRequest, context: Context) => void,
  left: (live: LiveConnection) => void,
  messageBytesMax: number,
): WebSocketBehavior<Kept> {
  return {
    maxPayloadLength: messageBytesMax,
    idleTimeout: limits.changes.livePingSeconds,
    sendPingsAutomatically: true,
    maxBackpressure: limits.changes.liveUnsentBytesMax,
    closeOnBackpressureLimit: true,
    upgrade: handshake,
    open: (socket) => socket.getUserData().live.opened(socketOf(socket)),
    message: (socket, bytes, isBinary) => socket.getUserData().live.take(bytes, isBinary),
    drain: (socket) => socket.getUserData().live.drained(),
    close: (socket) => left(socket.getUserData().live),
  };
}

function socketOf(socket: WebSocket<Kept>): LiveSocket {
  return {
    send: (texts) => {
      let isTaken = true;
      socket.cork(() => {
        isTaken = texts.every((text) => socket.send(text) !== DROPPED);
      });
      return isTaken;
    },
    get unsent() {
      return socket.getBufferedAmount();
    },
    end: (code, reason) => socket.end(code, Buffer.from(reason).subarray(0, REASON_BYTES_MAX)),
    destroy: () => socket.close(),
  };
}

/** What `send` gives for a message that does not fit `maxBackpressure`: the addon then closes the connection. */
const DROPPED = 2;
/** RFC 6455 §5.5: a control frame has at most 125 bytes, two of which are the code. */
const REASON_BYTES_MAX = 123;
