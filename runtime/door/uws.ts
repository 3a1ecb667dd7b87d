/** The door on uWebSockets.js, the hot path. Requests that the addon would read wrongly are refused here; README.md lists its traps. */
import type * as addonTypes from 'uWebSockets.js';
import type { HttpRequest, HttpResponse, TemplatedApp } from 'uWebSockets.js';
import { limits } from '#config/limits.ts';
import { statusLine } from './answer-head.ts';
import type { ConnectionBudget } from './connection-budget.ts';
import { Drain } from './drain.ts';
import { HeaderFields } from './header-fields.ts';
import { isKnownMethod } from './methods.ts';
import type { DoorState } from './moving-visit.ts';
import type { CertificateNews, Door, DoorOptions, DoorTls, SocketPath, TlsFiles, VisitHandler } from './port.ts';
import { CorkAnchor } from './live/cork-anchor.ts';
import type { LiveConnection } from './live/live-connection.ts';
import { LiveConnections } from './live/live-connections.ts';
import { LiveFigures } from './live/live-figures.ts';
import { UwsHandshake, behaviourOf, isHandshake } from './live/uws-handshake.ts';
import { keepHeadsWhole } from './head-filter.ts';
import { lastCallersOf } from './last-callers.ts';
import { outsideReading } from './outside-reading.ts';
import { boundReceiveBuffers } from './receive-buffer.ts';
import { Unsent } from '#actors/kit/unsent.ts';
import { newsOf, readTlsPairs } from './tls-pair.ts';
import { DEFAULT_PACE, Transfers } from './transfers.ts';
import { UwsRelay } from './uws-relay.ts';
import { UwsVisit } from './uws-visit.ts';

type Addon = typeof addonTypes;
type ListenSocket = Parameters<Addon['us_socket_local_port']>[0];

/** A signature of listen() that the addon's types lack. */
interface Listener {
  listen(host: string, port: number, flags: number, done: (socket: ListenSocket | false) => void): void;
}

/** A flag without which the addon would share a port that is already taken. */
const EXCLUSIVE = 1;
/** Matches characters other than visible ASCII, which the addon would decode lossily. */
const UNSOUND_TARGET = /[^\x21-\x7e]/;

/** Loads the addon: rejects where it has no binary for this machine. It reads its head limit from the environment while it loads. */
export async function loadAddon(): Promise<Addon> {
  process.env['UWS_HTTP_MAX_HEADERS_SIZE'] ??= String(limits.door.headerBytesMax);
  const addon = await import('uWebSockets.js');
  // Keeps the addon from adding its banner header to every answer.
  (addon as unknown as { _cfg(key: string): void })._cfg('silent');
  return addon;
}

/** Opens a door. Rejects when the addon does not load, the port is taken, the TLS files cannot be read, or the options ask for something that the addon cannot do. */
export async function openUwsDoor(options: DoorOptions, handler: VisitHandler): Promise<Door> {
  const lack = lackOfUws(options);
  if (lack !== null) throw new Error(`uWebSockets.js cannot ${lack}: open this door on node:http`);
  const addon = await loadAddon();
  const state = stateOf(options);
  const anchor = (options.sockets ?? []).length === 0 ? null : await CorkAnchor.open(addon);
  const reception = new Reception(handler, state, anchor, options);
  const entrance: Entrance = { reception };
  const open = async (): Promise<TemplatedApp> => {
    const app = await appOf(addon, options.tls, entrance);
    if (options.connections !== undefined) bound(app, entrance);
    return app;
  };
  const app = await open();
  const relay = new UwsRelay(app);
  const socket = await listen(app, options);
  const port = addon.us_socket_local_port(socket);
  await boundReceiveBuffers(port);
  const isTls = options.tls !== undefined;
  if (!isTls) await keepHeadsWhole(port);
  state.drain.last = await lastCallersOf(port, { isTls, keepsHeads: !isTls });
  return {
    port,
    renew: () => renew(options.tls, async () => relay.succeed(await open())),
    retire: () => state.drain.retire(),
    close: async () => {
      if (state.drain.closing) return;
      state.drain.closing = true;
      await state.drain.accepted();
      addon.us_listen_socket_close(socket);
      reception.live.retire();
      await state.drain.settle(options.drainMs ?? limits.door.drainMs);
      relay.close();
      anchor?.close();
      entrance.reception = null;
    },
  };
}

/** The option that the addon cannot fulfil, in words; null when it can fulfil all. */
export function lackOfUws({ times, http10, tls }: DoorOptions): string | null {
  if (times !== undefined) return 'keep other times than its own';
  if (http10 === true) return 'answer HTTP/1.0';
  return tls?.requestCert === true ? 'ask callers for a certificate' : null;
}

function stateOf(options: DoorOptions): DoorState {
  return {
    drain: new Drain(),
    onFault: options.onFault ?? ((error: unknown) => process.emitWarning(error as Error)),
    onSlow: options.onSlow ?? (() => undefined),
    transfers: new Transfers(options.pace ?? DEFAULT_PACE),
    late: null,
    unsent: options.unsent ?? new Unsent(limits.door.unsentBytesMax),
  };
}

/** What all functions know that an app was given. The addon never lets go of them: through them a closed door would keep its node in memory, 80 MB of it, for as long as the process lives. */
interface Entrance {
  /** Null behind the close of the door. */
  reception: Reception | null;
}

/** An app with its routes. The addon reads the files by itself; connections that come with a name it knows have routes of their own. */
async function appOf(addon: Addon, tls: DoorTls | undefined, entrance: Entrance): Promise<TemplatedApp> {
  if (tls === undefined) return register(addon.App(), entrance);
  const app = addon.SSLApp(filesOf(tls));
  if (tls.others !== undefined) await addNames(app, tls, entrance);
  return register(app.domain(''), entrance);
}

async function addNames(app: TemplatedApp, tls: DoorTls, entrance: Entrance): Promise<void> {
  const known = new Set<string>();
  for (const { files, names } of (await readTlsPairs(tls)).others)
    for (const name of names.filter((one) => !known.has(one))) {
      known.add(name);
      register(app.addServerName(name, filesOf(files)).domain(name), entrance);
    }
}

const filesOf = ({ keyFile, certFile }: TlsFiles) => ({ key_file_name: keyFile, cert_file_name: certFile });

async function renew(tls: DoorTls | undefined, succeed: () => Promise<void>): Promise<CertificateNews | null> {
  if (tls === undefined) return null;
  const pairs = await readTlsPairs(tls);
  await succeed();
  return newsOf(pairs);
}

/** Counts connections: the addon calls the filter for each that comes and goes. One that is closed here is gone at once. */
function bound(app: TemplatedApp, entrance: Entrance): void {
  app.filter((res, count) => {
    const connections = entrance.reception?.connections;
    if (count < 0) connections?.left();
    else if (connections?.came() !== true) res.close();
  });
}

async function listen(app: TemplatedApp, options: DoorOptions): Promise<ListenSocket> {
  const { host, port } = options;
  const at = app as unknown as Listener;
  const socket = await new Promise<ListenSocket | false>((resolve) => at.listen(host, port, EXCLUSIVE, resolve));
  if (socket === false) throw new Error(`the port ${port} is taken, or the address ${host} is not here`);
  return socket;
}

/** A handler per common verb spares asking the addon for it. */
function register(app: TemplatedApp, entrance: Entrance): TemplatedApp {
  app.get('/*', (res, req) => entrance.reception!.receive('GET', res, req));
  app.head('/*', (res, req) => entrance.reception!.receive('HEAD', res, req));
  app.post('/*', (res, req) => entrance.reception!.receive('POST', res, req));
  app.put('/*', (res, req) => entrance.reception!.receive('PUT', res, req));
  app.patch('/*', (res, req) => entrance.reception!.receive('PATCH', res, req));
  app.del('/*', (res, req) => entrance.reception!.receive('DELETE', res, req));
  app.options('/*', (res, req) => entrance.reception!.receive('OPTIONS', res, req));
  app.any('/*', (res, req) => entrance.reception!.receive(req.getCaseSensitiveMethod(), res, req));
  // Only at these paths does the addon look for a handshake; without one, the handlers above have the request.
  for (const socket of entrance.reception!.sockets) app.ws(socket.at, behaviourAt(entrance, socket));
  return app;
}

type Upgrade = NonNullable<ReturnType<typeof behaviourOf>['upgrade']>;

/** What the addon does with the sockets of a path. */
function behaviourAt(entrance: Entrance, { path, messageBytesMax }: SocketPath): ReturnType<typeof behaviourOf> {
  const greet = (...handshake: Parameters<Upgrade>): void => entrance.reception?.greet(path, ...handshake);
  const left = (live: LiveConnection): void => {
    // The addon's filter counts a connection when it comes, and a WebSocket not when it goes.
    entrance.reception?.connections?.left();
    entrance.reception?.live.left(live);
  };
  return behaviourOf(greet, left, messageBytesMax);
}

class Reception {
  readonly live: LiveConnections;
  readonly sockets: readonly SocketPath[];
  readonly connections: ConnectionBudget | undefined;
  readonly #handler: VisitHandler;
  readonly #state: DoorState;
  readonly #anchor: CorkAnchor | null;
  /** Shared by all requests: it holds a request's fields only while its handler runs. */
  readonly #fields = new HeaderFields();

  constructor(
    handler: VisitHandler,
    state: DoorState,
    anchor: CorkAnchor | null,
    { sockets = [], connections, live = new LiveFigures() }: DoorOptions,
  ) {
    this.#handler = handler;
    this.#state = state;
    this.#anchor = anchor;
    this.sockets = sockets;
    this.live = new LiveConnections(handler, state, live);
    this.connections = connections;
  }

  receive(method: string, res: HttpResponse, req: HttpRequest): void {
    const path = req.getUrl();
    if (this.#isSound(method, path, res, req))
      new UwsVisit(method, path, req, res, this.#fields, this.#state).serve(this.#handler);
  }

  /** Takes the handshake of a WebSocket, which is judged as a request of `route` is. What is none after all is one of the path that it names. */
  greet(route: string, ...[res, req, context]: Parameters<Upgrade>): void {
    const asked = req.getUrl();
    if (!this.#isSound('GET', asked, res, req)) return;
    const path = isHandshake(this.#fields) ? route : asked;
    const upgrade = { context, connections: this.live, anchor: this.#anchor! };
    new UwsHandshake(path, req, res, this.#fields, this.#state, upgrade).serve(this.#handler);
  }

  /** Reads the fields of a request; false where it was refused. */
  #isSound(method: string, path: string, res: HttpResponse, req: HttpRequest): boolean {
    const fields = this.#fields;
    fields.reset();
    req.forEach(fields.add);
    const fault = isKnownMethod(method) ? fields.fault(method) : 501;
    if (fault > 0) refuse(res, fault);
    else if (UNSOUND_TARGET.test(path) || UNSOUND_TARGET.test(req.getQuery() ?? '')) refuse(res, 400);
    else return true;
    return false;
  }
}

/**
 * Gives a bare answer and closes the connection, since nothing that follows on it can be trusted. The answer leaves in a later turn; while
 * one is due, the addon closes the connection instead of reading on.
 */
function refuse(res: HttpResponse, status: number): void {
  let open = true;
  res.onAborted(() => {
    open = false;
  });
  outsideReading(() => {
    if (!open) return;
    res.cork(() => {
      res.writeStatus(statusLine(status));
      res.end('', true);
    });
  });
}
