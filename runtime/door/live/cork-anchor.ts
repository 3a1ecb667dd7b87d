/**
 * A request that is never answered, for the addon to gather writes under. It makes a connection a WebSocket in a later turn only under some request's `cork`,
 * and under that of the handshake itself it goes on reading what the handshake was: memory that is no longer its own by then, and a bit in it closes the
 * WebSocket at once (5 % of the first ones of a node). Under another request's it does not look. This one comes from the door itself, to an
 * app of its own that listens until it has come.
 */
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import type * as addonTypes from 'uWebSockets.js';
import type { HttpResponse } from 'uWebSockets.js';

type Addon = typeof addonTypes;
type ListenSocket = Parameters<Addon['us_socket_local_port']>[0];

export class CorkAnchor {
  readonly #socket: Socket;
  #res: HttpResponse | null;

  private constructor(socket: Socket, res: HttpResponse) {
    this.#socket = socket;
    this.#res = res;
    res.onAborted(() => {
      this.#res = null;
    });
  }

  static async open(addon: Addon): Promise<CorkAnchor> {
    const path = `/${randomBytes(16).toString('hex')}`;
    const app = addon.App();
    const came = new Promise<CorkAnchor>((resolve) => {
      app.any('/*', (res) => void res.close());
      app.get(path, (res) => resolve(new CorkAnchor(socket, res)));
    });
    const listening = await new Promise<ListenSocket | false>((resolve) => app.listen('127.0.0.1', 0, resolve));
    if (listening === false) throw new Error('no port on 127.0.0.1 is free');
    const socket = connect(addon.us_socket_local_port(listening), '127.0.0.1');
    try {
      const failed = new Promise<never>((_resolve, reject) => void socket.once('error', reject));
      socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
      const anchor = await Promise.race([came, failed]);
      socket.on('error', () => undefined).unref();
      return anchor;
    } finally {
      addon.us_listen_socket_close(listening);
    }
  }

  /** Runs the work under this request's cork; under that of the other one where this one is gone. */
  cork(work: () => void, other: HttpResponse): void {
    (this.#res ?? other).cork(work);
  }

  close(): void {
    this.#socket.destroy();
  }
}
