/** Two ends of a link in one process: a node that serves, whose gate is a function, and the doors of another one. */
import { mkdtempSync, rmSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { onTestFinished } from 'vitest';
import type { CompiledRoute } from '#actors/host/call.ts';
import { anyone } from '#actors/protocol/callers.ts';
import { REPLIES, REPLY_STRIDE, type Body, type Flat } from '#actors/protocol/frame.ts';
import type { RouteRow } from '#actors/protocol/route.ts';
import type { Gate } from '#runtime/door/gate.ts';
import type { ServingDoors } from '#runtime/link/far-requests.ts';
import { LinkServer } from '#runtime/link/link-server.ts';
import { OwnerLink } from '#runtime/link/owner-link.ts';
import { PING, encodeFrame } from '#runtime/link/frames.ts';
import { helloFrame, LINK_PROTOCOLS, routeNames, type Self } from '#runtime/link/hello.ts';
import { LinkAuthority, type LinkPapers } from '#test/kit/link-papers.ts';

const row: RouteRow = {
  methods: ['POST'],
  path: '/x',
  position: 'door',
  callers: anyone(),
  body: 'json',
  ack: 'fsync',
  replies: {},
  refusals: [],
  summary: '',
};

export const routesOf = (...names: readonly string[]): CompiledRoute[] =>
  names.map((name, no) => ({ no, name, service: 'x', row, paramNames: [] }));

export const ROUTES = routesOf('read', 'write', 'send');
export const CLUSTER = 'c0ffee';

export const selfOf = (node: string, protocols = LINK_PROTOCOLS): Self => ({
  cluster: CLUSTER,
  protocols,
  release: '1.0.0',
  node,
  life: `life of ${node}`,
});

type Forwarded = Gate['forwarded'];
type Page = ServingDoors['page'];

/** A link's authority and what the two nodes show; gone with the test. */
export class LinkWorld {
  readonly #dir = mkdtempSync(join(tmpdir(), 'skep-link-'));
  readonly authority = LinkAuthority.in(this.#dir);
  readonly warned: string[] = [];

  constructor() {
    onTestFinished(() => rmSync(this.#dir, { recursive: true, force: true }));
  }

  other(): LinkAuthority {
    return LinkAuthority.in(this.#dir, 'stranger');
  }

  readonly log = {
    info: () => undefined,
    error: () => undefined,
    warn: (fields: object) => void this.warned.push((fields as { readonly why: string }).why),
  };

  /** A node that serves, unless `forwarded` is null. */
  async server(
    node: string,
    forwarded: Forwarded | null,
    routes = ROUTES,
    page: Page = () => false,
    self = selfOf(node),
  ): Promise<LinkServer> {
    const config = { bind: '127.0.0.1:0', address: '127.0.0.1:0', ...this.authority.pair(node) };
    const server = await LinkServer.open({ self, config, routes, log: this.log });
    if (forwarded !== null) server.serve({ gate: { forwarded }, page });
    onTestFinished(() => server.close());
    return server;
  }

  doors(node: string, papers: LinkPapers = this.authority.pair(node), self = selfOf(node), routes = ROUTES): Doors {
    return new Doors(this, papers, self, routes);
  }

  /** A connection as a stranger may make one; with what it shows, or nothing. */
  async wire(server: LinkServer, papers: Partial<LinkPapers>): Promise<Wire> {
    const read = (path: string | undefined): Buffer | undefined =>
      path === undefined ? undefined : readFileSync(path);
    const shown = { cert: read(papers.certificate), key: read(papers.key) };
    const socket = connect({ host: '127.0.0.1', port: server.port, rejectUnauthorized: false, ...shown });
    onTestFinished(() => void socket.destroy());
    const wire = new Wire(socket);
    await wire.opened;
    return wire;
  }
}

export class Wire {
  readonly socket: TLSSocket;
  readonly opened: Promise<void>;
  readonly closed: Promise<void>;
  bytes = 0;

  constructor(socket: TLSSocket) {
    this.socket = socket;
    socket.on('data', (data: Buffer) => (this.bytes += data.length));
    socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => void socket.on('close', () => resolve()));
    this.opened = new Promise((resolve) => {
      socket.on('secureConnect', () => resolve());
      socket.on('close', () => resolve());
    });
  }

  /** From here on it says that it is there: silence does not end the connection. */
  hello(node: string, to: string, cluster = CLUSTER): void {
    const pings = setInterval(() => this.socket.write(encodeFrame([PING])), 500);
    this.socket.on('close', () => clearInterval(pings));
    this.socket.write(encodeFrame(helloFrame({ ...selfOf(node), cluster }, to, routeNames(ROUTES))));
  }
}

export interface Reply {
  readonly status: number;
  readonly headers: string;
  readonly body: Body | number;
}

/** The door's side: requests by number, and the replies to them. */
export class Doors {
  readonly link: OwnerLink;
  readonly replies = new Map<number, Reply>();
  readonly streamed: Flat = [];
  lost = 0;

  constructor(world: LinkWorld, papers: LinkPapers, self: Self, routes: readonly CompiledRoute[]) {
    this.link = new OwnerLink({
      self,
      config: { bind: '127.0.0.1:0', address: '127.0.0.1:0', ...papers },
      routes,
      replies: (batch) => this.#take(batch),
      lost: () => void this.lost++,
      log: world.log,
    });
    onTestFinished(() => this.link.stop());
  }

  follow(server: LinkServer, node: string, life = `life of ${node}`): void {
    this.link.follow({ node, id: life, link: `127.0.0.1:${server.port}` });
  }

  send(no: number, route: number, body: Body | number, position = 'a:b:c:d'): void {
    const extra = `:from:10.1.2.3\n:at:${position}\n:\nx-api-key:secret\n`;
    this.link.desk.outbox!.batch.push(no, route, 7, 1, 'p', 'q=1', 'Bearer t', `id ${no}`, extra, body);
  }

  #take(batch: Flat): void {
    if (batch[0] !== REPLIES) {
      this.streamed.push(...batch.slice(1));
      return;
    }
    for (let at = 1; at < batch.length; at += REPLY_STRIDE) {
      const [no, status, headers, body] = batch.slice(at, at + REPLY_STRIDE);
      this.replies.set(no as number, { status: status as number, headers: headers as string, body: body as Body });
    }
  }
}
