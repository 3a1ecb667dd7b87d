/** The door on node:http: the twin for machines without the addon. Same port, same cases, a third of the speed. */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { Server as NetServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { limits } from '#config/limits.ts';
import type { DoorState } from './base-visit.ts';
import type { ConnectionBudget } from './connection-budget.ts';
import { Drain } from './drain.ts';
import { CHUNKED, HeaderFields } from './header-fields.ts';
import { isKnownMethod } from './methods.ts';
import { answerBroken, refuseSocket } from './node-connection.ts';
import type { NodeConnection } from './node-connection.ts';
import { NodeVisit } from './node-visit.ts';
import type { Door, DoorOptions, VisitHandler } from './port.ts';
import { SlowBodies } from './slow-bodies.ts';
import { Unsent } from './unsent.ts';

const NON_ASCII = /[\x80-\xff]/;

const SERVER_OPTIONS: ServerOptions = {
  insecureHTTPParser: false,
  requireHostHeader: false,
  maxHeaderSize: limits.door.headerBytesMax,
  keepAliveTimeout: limits.door.idleMs,
  headersTimeout: limits.door.idleMs,
  requestTimeout: limits.door.requestMsMax,
  noDelay: true,
};

/** Opens a door. Rejects when the port is taken or the TLS files cannot be read. */
export async function openNodeDoor(options: DoorOptions, handler: VisitHandler): Promise<Door> {
  const drain = new Drain();
  const onFault = options.onFault ?? ((error: unknown) => process.emitWarning(error as Error));
  const server = await serverOf(options);
  // Fields are counted by us: the server would cut the list silently.
  server.maxHeadersCount = 0;
  const unsent = options.unsent ?? new Unsent(limits.door.unsentBytesMax);
  const slow = options.bodyMsMax === undefined ? null : new SlowBodies(options.bodyMsMax);
  attach(server, new Reception(handler, { drain, onFault, slow, unsent }, options.http10 === true));
  if (options.connections !== undefined) bound(server, options.connections);
  await listen(server, options);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    close: async () => {
      if (drain.closing) return;
      // Stops accepting only; http's own close() would also cut connections whose next request is already on its way.
      NetServer.prototype.close.call(server);
      await drain.settle(options.drainMs ?? limits.door.drainMs);
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A caller without a certificate comes in too: some routes need none, and a refusal that can be read tells more than a cut. */
const CLIENT_CERTIFICATES = { requestCert: true, rejectUnauthorized: false, minVersion: 'TLSv1.3' } as const;

/** `curl -0` offers nothing else, and a server that does not choose it ends the handshake (RFC 7301 §3.2). */
const OLD_PROTOCOLS = { ALPNProtocols: ['http/1.1', 'http/1.0'] };

async function serverOf({ tls, idleMs, http10 }: DoorOptions): Promise<Server> {
  const settings = idleMs === undefined ? SERVER_OPTIONS : { ...SERVER_OPTIONS, keepAliveTimeout: idleMs };
  if (tls === undefined) return createServer(settings);
  const [key, cert] = await Promise.all([readFile(tls.keyFile), readFile(tls.certFile)]);
  const asks = tls.requestCert === true ? CLIENT_CERTIFICATES : {};
  const protocols = http10 === true ? OLD_PROTOCOLS : {};
  return createTlsServer({ ...settings, key, cert, ...asks, ...protocols });
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
  server.on('clientError', (error, socket) =>
    answerBroken(error, socket as Socket, reception.connection(socket as Socket)),
  );
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
    const connection: NodeConnection = { visits: new Set(), peer: null, over: false, broken: false };
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
