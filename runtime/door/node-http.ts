/** The door on node:http, for machines without the addon and for listeners that need what the addon cannot do. It passes the same cases at a third of the speed. */
import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { Server as NetServer, type AddressInfo, type Socket } from 'node:net';
import type { SecureContextOptions, Server as TlsServer } from 'node:tls';
import { limits } from '#config/limits.ts';
import type { ConnectionBudget } from './connection-budget.ts';
import { Deadlines } from './deadlines.ts';
import { Drain } from './drain.ts';
import { CHUNKED, HeaderFields } from './header-fields.ts';
import { lastCallersOf } from './last-callers.ts';
import { isKnownMethod } from './methods.ts';
import type { DoorState } from './moving-visit.ts';
import { answerBroken, endLate, refuseSocket, type NodeConnection } from './node-connection.ts';
import { NodeVisit } from './node-visit.ts';
import { Unsent } from '#actors/kit/unsent.ts';
import type { CertificateNews, Door, DoorOptions, DoorTls, VisitHandler } from './port.ts';
import { ServerNames } from './server-names.ts';
import { newsOf, readTlsPairs } from './tls-pair.ts';
import { DEFAULT_PACE, NO_PACE, Transfers } from './transfers.ts';

const LATE = 'ERR_HTTP_REQUEST_TIMEOUT';
const NON_ASCII = /[\x80-\xff]/;

/** Opens a door. Rejects when the port is taken or the TLS files cannot be read. */
export async function openNodeDoor(options: DoorOptions, handler: VisitHandler): Promise<Door> {
  const names = new ServerNames();
  const server = await serverOf(options, names);
  // HeaderFields counts the fields; node's own limit would cut the list silently.
  server.maxHeadersCount = 0;
  const state = stateOf(options);
  attach(server, new Reception(handler, state, options.http10 === true));
  if (options.connections !== undefined) bound(server, options.connections);
  await listen(server, options);
  const { port } = server.address() as AddressInfo;
  state.drain.last = await lastCallersOf(port, { isTls: options.tls !== undefined, keepsHeads: false });
  return {
    port,
    renew: () => renew(server, options.tls, names),
    retire: () => state.drain.retire(),
    close: async () => {
      if (state.drain.closing) return;
      state.drain.closing = true;
      await state.drain.accepted();
      // Stops accepting only; http's own close() would also cut connections whose next request is already on its way.
      NetServer.prototype.close.call(server);
      await state.drain.settle(options.drainMs ?? limits.door.drainMs);
      server.closeAllConnections();
      server.close();
    },
  };
}

function stateOf({ pace, times, unsent, onFault, onSlow }: DoorOptions): DoorState {
  return {
    drain: new Drain(),
    onFault: onFault ?? ((error: unknown) => process.emitWarning(error as Error)),
    onSlow: onSlow ?? (() => undefined),
    transfers: new Transfers(times === undefined ? (pace ?? DEFAULT_PACE) : NO_PACE),
    late: times === undefined ? null : new Deadlines(times.writeMs, (visit) => visit.cutSlow()),
    unsent: unsent ?? new Unsent(limits.door.unsentBytesMax),
  };
}

/** A caller without a certificate is let in: some routes need none, and a refusal over HTTP tells more than a broken handshake. */
const CLIENT_CERTIFICATES = { requestCert: true, rejectUnauthorized: false } as const;

/** `curl -0` offers nothing else, and a server that does not choose it ends the handshake (RFC 7301 §3.2). */
const OLD_PROTOCOLS = { ALPNProtocols: ['http/1.1', 'http/1.0'] };

async function serverOf({ tls, times, http10 }: DoorOptions, names: ServerNames): Promise<Server> {
  const readMs = times === undefined ? limits.door.idleMs : wholeMs(times.readMs);
  const settings: ServerOptions = {
    insecureHTTPParser: false,
    requireHostHeader: false,
    maxHeaderSize: limits.door.headerBytesMax,
    keepAliveTimeout: times === undefined ? limits.door.idleMs : wholeMs(times.idleMs),
    headersTimeout: readMs,
    // Without times a body may take any time, as long as it keeps the pace.
    requestTimeout: times === undefined ? 0 : readMs,
    connectionsCheckingInterval: Math.min(limits.door.headLookMs, Math.ceil(readMs / 4)),
    noDelay: true,
  };
  const server = tls === undefined ? createServer(settings) : await tlsServerOf(tls, names, settings, http10);
  // By default node adds a second to keepAliveTimeout.
  return Object.assign(server, { keepAliveTimeoutBuffer: 0 });
}

async function tlsServerOf(
  tls: DoorTls,
  names: ServerNames,
  settings: ServerOptions,
  http10?: boolean,
): Promise<Server> {
  const asks = tls.requestCert === true ? CLIENT_CERTIFICATES : {};
  const protocols = http10 === true ? OLD_PROTOCOLS : {};
  const named = tls.others === undefined ? {} : { SNICallback: names.callback };
  return createTlsServer({ ...settings, ...(await secretsOf(tls, names)).context, ...named, ...asks, ...protocols });
}

/** Reads all pairs, and shows the further ones from here on; the first is for the server. */
async function secretsOf(
  tls: DoorTls,
  names: ServerNames,
): Promise<{ context: SecureContextOptions; news: CertificateNews }> {
  const pairs = await readTlsPairs(tls);
  const newest = tls.requestCert === true ? ({ minVersion: 'TLSv1.3' } as const) : {};
  names.replace(pairs.others, newest);
  const { key, cert } = pairs.first;
  return { context: { key, cert, ...newest }, news: newsOf(pairs) };
}

async function renew(server: Server, tls: DoorTls | undefined, names: ServerNames): Promise<CertificateNews | null> {
  if (tls === undefined) return null;
  const { context, news } = await secretsOf(tls, names);
  (server as unknown as TlsServer).setSecureContext(context);
  return news;
}

/** Whole milliseconds, at least 1, since node takes 0 for no timeout. */
function wholeMs(ms: number): number {
  return Math.max(1, Math.ceil(ms));
}

function bound(server: Server, connections: ConnectionBudget): void {
  server.on('connection', (socket: Socket) => {
    socket.once('close', () => connections.left());
    if (!connections.came()) socket.destroy();
  });
}

async function listen(server: Server, { host, port }: DoorOptions): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, exclusive: true }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function attach(server: Server, reception: Reception): void {
  const receive = (req: IncomingMessage, res: ServerResponse): void => reception.receive(req, res);
  server.on('request', receive);
  // An Expect other than 100-continue is ignored, as RFC 9110 §10.1.1 allows and the other door does.
  server.on('checkExpectation', receive);
  server.on('connect', (_req, socket: Socket) => refuseSocket(socket, 501));
  server.on('clientError', (error: Error & { code?: string }, socket) => {
    const end = error.code === LATE ? endLate : answerBroken;
    end(error, socket as Socket, reception.connection(socket as Socket));
  });
}

class Reception {
  readonly #handler: VisitHandler;
  readonly #state: DoorState;
  readonly #http10: boolean;
  readonly #fields = new HeaderFields();
  readonly #connections = new WeakMap<Socket, NodeConnection>();

  constructor(handler: VisitHandler, state: DoorState, http10: boolean) {
    this.#handler = handler;
    this.#state = state;
    this.#http10 = http10;
  }

  receive(req: IncomingMessage, res: ServerResponse): void {
    const connection = this.connection(req.socket);
    if (connection.over) return;
    const fault = this.#fault(req);
    connection.over = fault > 0 || this.#fields.bodyLength === CHUNKED || req.httpVersion === '1.0';
    if (fault > 0) {
      res.writeHead(fault, { Connection: 'close', 'Content-Length': '0' });
      res.end();
      return;
    }
    const url = req.url ?? '';
    const mark = url.indexOf('?');
    const path = mark < 0 ? url : url.slice(0, mark);
    const query = mark < 0 ? '' : url.slice(mark + 1);
    new NodeVisit(path, query, req, res, connection, this.#fields, this.#state).serve(this.#handler);
  }

  connection(socket: Socket): NodeConnection {
    const known = this.#connections.get(socket);
    if (known !== undefined) return known;
    const connection: NodeConnection = { visits: new Set(), last: null, peer: null, over: false, broken: false };
    this.#connections.set(socket, connection);
    socket.on('close', () => {
      for (const visit of connection.visits) visit.leave();
    });
    return connection;
  }

  /** 0, or the status that refuses the request; fills the fields. */
  #fault(req: IncomingMessage): number {
    this.#fields.reset();
    const old = req.httpVersion === '1.0';
    if (req.httpVersion !== '1.1' && !(old && this.#http10)) return 505;
    if (!isKnownMethod(req.method ?? '')) return 501;
    if (req.url?.startsWith('/') !== true) return 400;
    const fields = this.#fields;
    const raw = req.rawHeaders;
    for (let i = 0; i < raw.length; i += 2) fields.add(raw[i]!.toLowerCase(), textOf(raw[i + 1]!));
    return fields.fault(req.method ?? '', old);
  }
}

/** Values are read as UTF-8, as the other door does; node gives them as latin1. */
function textOf(value: string): string {
  return NON_ASCII.test(value) ? Buffer.from(value, 'latin1').toString('utf8') : value;
}
