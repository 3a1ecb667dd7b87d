/** The end of links at which requests arrive. It listens from the start of the node on, and answers `moved` until the node serves. */
import { createServer, type Server, type TLSSocket } from 'node:tls';
import { parseBind } from '#config/bind.ts';
import { limits } from '#config/limits.ts';
import type { CompiledRoute } from '#actors/host/call.ts';
import type { Log } from '#actors/host/activation.ts';
import { Seldom } from '#actors/kit/seldom.ts';
import type { Flat } from '#actors/protocol/frame.ts';
import { answerRefusal } from '#runtime/door/answer-refusal.ts';
import { refuseAtDoor } from '#runtime/door/refusals.ts';
import { FarRequests, type ServingDoors } from './far-requests.ts';
import { LinkFault } from './frames.ts';
import { agreedIn, helloFrame, mapRoutes, movedFrame, readHello, type Hello, type Self } from './hello.ts';
import { LinkEnd } from './link-end.ts';
import type { Hosting } from './hosting.ts';
import type { Referrals } from './referrals.ts';
import { isOfNode, shownBy, tlsOf, type LinkConfig } from './link-tls.ts';

const { connectionsMax, drainMs, helloMs } = limits.cluster.link;

export interface LinkServerPorts {
  readonly self: Self;
  readonly config: LinkConfig;
  readonly routes: readonly CompiledRoute[];
  readonly log: Log;
  /** Hosts that this node carries while it stands by; null, or absent, where it carries none. */
  readonly hosting?: Hosting | null;
  /** The doors of this node while it carries some: doors of others send requests of their tenants here. Null while it carries none. */
  readonly carriers?: () => ServingDoors | null;
  /** What doors of other nodes are told while this node serves. */
  readonly referrals?: Referrals;
}

/** What a link is for, once it was greeted. */
interface Guested {
  /** Takes a frame. Throws LinkFault for what the other node does not send. */
  take(frame: Flat): void;
  lost(): void;
}

/** A connection of another node. */
interface Guest {
  readonly end: LinkEnd;
  /** Its name, once it was greeted. */
  node: string | null;
  /** Null until then. */
  guested: Guested | null;
  /** Likewise, where its doors send requests. */
  requests: FarRequests | null;
  /** It was told that this node does not serve, which is no fault of it. */
  isMoved: boolean;
}

export class LinkServer {
  readonly #ports: LinkServerPorts;
  readonly #server: Server;
  readonly #guests = new Set<Guest>();
  readonly #seldom = new Seldom();
  /** Null while this node does not serve. */
  #doors: ServingDoors | null = null;
  /** Where requests of guests go in: a node that has just given its place up refuses what crossed its word. */
  readonly #entrance: ServingDoors = {
    gate: {
      forwarded: (arrival, key) => {
        const doors = this.#doors ?? this.#ports.carriers?.() ?? null;
        if (doors === null) answerRefusal(arrival.visit, arrival.requestId, refuseAtDoor('unavailable'));
        else doors.gate.forwarded(arrival, key);
      },
    },
    page: (visit, requestId, callerOf) => {
      if (this.#doors !== null) return this.#doors.page(visit, requestId, callerOf);
      answerRefusal(visit, requestId, refuseAtDoor('unavailable'));
      return true;
    },
  };

  private constructor(ports: LinkServerPorts) {
    this.#ports = ports;
    this.#server = createServer({ ...tlsOf(ports.config), requestCert: true, handshakeTimeout: helloMs });
    this.#server.maxConnections = connectionsMax;
    this.#server.on('secureConnection', (socket) => this.#greet(socket));
    this.#server.on('tlsClientError', (error, socket) => this.#refused(socket.remoteAddress, error.message));
    this.#server.on('drop', (data) => this.#refused(data?.remoteAddress, 'too many nodes are connected'));
  }

  /** Rejects where the address is taken, or a file cannot be used. */
  static async open(ports: LinkServerPorts): Promise<LinkServer> {
    const server = new LinkServer(ports);
    const { host, port } = parseBind(ports.config.bind)!;
    await new Promise<void>((resolve, reject) => {
      server.#server.once('error', reject);
      server.#server.listen(port, host, resolve);
    });
    server.#server.on('error', (error) => ports.log.error({ err: error }, 'the link of this node'));
    return server;
  }

  /** The port that it listens on. */
  get port(): number {
    return (this.#server.address() as { readonly port: number }).port;
  }

  /** Nodes whose doors send to this one now. */
  get nodes(): number {
    return new Set([...this.#guests].flatMap(({ requests, node }) => (requests === null ? [] : node!))).size;
  }

  /** Requests of theirs without an answer. */
  get inFlight(): number {
    return [...this.#guests].reduce((sum, { requests }) => sum + (requests?.count ?? 0), 0);
  }

  /** From here on requests go in there. */
  serve(doors: ServingDoors): void {
    this.#doors = doors;
  }

  /** Certificates are read again: connections that come from now on are shown them. Throws where the files cannot be used. */
  renew(): void {
    this.#server.setSecureContext(tlsOf(this.#ports.config));
  }

  /** The node does not serve any more: no request is taken, and those that were are answered, within a bound of time. */
  async retire(): Promise<void> {
    this.#doors = null;
    const idle = [...this.#guests].map(async ({ end, requests }) => {
      end.send(movedFrame('this node gives its place up'));
      await requests?.idle();
    });
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([Promise.all(idle), new Promise((resolve) => (timer = setTimeout(resolve, drainMs)))]);
    clearTimeout(timer);
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const { end } of this.#guests) end.endWith(movedFrame('this node stops'), 'this node stops');
    await closed;
  }

  #greet(socket: TLSSocket): void {
    const { log } = this.#ports;
    const from = socket.remoteAddress;
    socket.setNoDelay(true);
    const guest: Guest = {
      node: null,
      guested: null,
      requests: null,
      isMoved: false,
      end: new LinkEnd(socket, {
        take: (frame) => {
          clearTimeout(late);
          this.#take(guest, socket, frame);
        },
        gone: (why) => {
          clearTimeout(late);
          this.#guests.delete(guest);
          if (guest.guested === null && !guest.isMoved) this.#refused(from, why);
          if (guest.guested !== null) log.info({ node: guest.node, why }, 'the link of another node is over');
          guest.guested?.lost();
        },
      }),
    };
    const late = setTimeout(() => guest.end.end('it says nothing'), helloMs);
    this.#guests.add(guest);
  }

  #take(guest: Guest, socket: TLSSocket, frame: Flat): void {
    if (guest.guested !== null) {
      guest.guested.take(frame);
      return;
    }
    const { self } = this.#ports;
    const hello = readHello(frame, self);
    if (!isOfNode(shownBy(socket), hello.node))
      throw new LinkFault(`it calls itself ${hello.node}, and its certificate does not`);
    const protocol = agreedIn(hello, self, false);
    const why = this.#movedFor(hello);
    if (why !== null) {
      guest.isMoved = true;
      guest.end.endWith(movedFrame(why), why);
      return;
    }
    guest.node = hello.node;
    guest.end.greeted();
    guest.guested =
      hello.purpose === 'hosts' ? this.#hosted(guest, hello, protocol) : this.#asked(guest, hello, protocol);
  }

  #asked(guest: Guest, hello: Hello, protocol: number): Guested {
    const { routes, self } = this.#ports;
    guest.end.send(helloFrame(self, self.life, [], { protocol }));
    const numbers = mapRoutes(hello.routes, routes);
    const { referrals } = this.#ports;
    const refers = hello.refers && referrals !== undefined && this.#doors !== null;
    const referred = refers ? referrals.open(guest.end, hello.life) : null;
    guest.requests = new FarRequests({ end: guest.end, doors: this.#entrance, routes, numbers, referred });
    return guest.requests;
  }

  #hosted(guest: Guest, hello: Hello, protocol: number): Guested {
    const { self } = this.#ports;
    const hosting = this.#ports.hosting!;
    guest.end.send(helloFrame(self, self.life, [], { protocol, room: hosting.room }));
    return hosting.enter(guest.end, hello);
  }

  #movedFor(hello: Hello): string | null {
    if (hello.purpose === 'hosts') {
      const { hosting } = this.#ports;
      return hosting === null || hosting === undefined ? 'this node carries no hosts' : hosting.refusal(hello);
    }
    if (this.#doors === null && (this.#ports.carriers?.() ?? null) === null) return 'this node does not serve';
    return hello.to === this.#ports.self.life ? null : 'this is another life of the node';
  }

  #refused(from: string | undefined, why: string): void {
    const since = this.#seldom.leftOut('refused', performance.now());
    if (since !== null) this.#ports.log.warn({ from, why, since }, 'a connection of another node was refused');
  }
}
