/**
 * The plain listener at port 80 of the sites: it answers the authority's question for a token (RFC 8555 §8.3) and sends everyone else to https.
 *
 *   GET /.well-known/acme-challenge/<token> of a name that is being validated ─▶ 200, the key authorization
 *   any other path there ────────────────────────────────────────────────────▶ 404
 *   anything else at a declared site ────────────────────────────────────────▶ 308 to https
 *   any other host ──────────────────────────────────────────────────────────▶ 421
 *
 * Anybody may call it. A request costs a look into two maps, and on a node that stands by a share of the next look into the vault; it reads no body and ends its connection; connections, time and heads are bounded. It
 * causes no order: a flood can keep the authority out, so that a renewal fails and is tried again, and touches no other listener.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseBind } from '#config/bind.ts';
import { limits } from '#config/limits.ts';

const CHALLENGES = '/.well-known/acme-challenge/';

export interface ChallengeWish {
  /** `host:port`. */
  readonly bind: string;
  /** Names of hosts that are sent to https. */
  readonly sites: ReadonlySet<string>;
  readonly httpsPort: number;
  /** The answer to a token that another node offers; null where it offers none such. Left out where no other node can. Never rejects. */
  readonly elsewhere?: (name: string, token: string) => Promise<string | null>;
}

/** Why it could not be opened, and what to do. */
export function whyDeaf(bind: string, error: Error): { readonly what: string; readonly mend: string } {
  const { code } = error as NodeJS.ErrnoException;
  const mend =
    code === 'EACCES'
      ? 'ports below 1024 need a right: AmbientCapabilities=CAP_NET_BIND_SERVICE in the unit'
      : 'stop the program that holds it, or let port 80 lead to another gateway.tls.acme.http_bind';
  const why = code ?? error.message;
  return { what: `the listener for challenges cannot listen on ${bind} (${why}), so nothing can be ordered`, mend };
}

const TOKEN = /^[A-Za-z0-9_-]+$/;

export class ChallengeListener {
  readonly #wish: ChallengeWish;
  /** Key authorizations, by name and path. */
  readonly #offered = new Map<string, string>();
  #server: Server | null = null;

  constructor(wish: ChallengeWish) {
    this.#wish = wish;
  }

  /** Listens, unless it does already. Rejects with the system's error where the port is taken or not allowed. */
  async open(): Promise<void> {
    if (this.#server !== null) return;
    const { challengeConnectionsMax, challengeHeadBytesMax, challengeMs } = limits.acme;
    const server = createServer(
      {
        headersTimeout: challengeMs,
        requestTimeout: challengeMs,
        keepAliveTimeout: 1,
        connectionsCheckingInterval: challengeMs / 5,
        maxHeaderSize: challengeHeadBytesMax,
      },
      (incoming, outgoing) => this.#answer(incoming, outgoing),
    );
    server.maxConnections = challengeConnectionsMax;
    server.on('connection', (socket) => {
      const end = setTimeout(() => socket.destroy(), 2 * challengeMs).unref();
      socket.once('close', () => clearTimeout(end));
    });
    const { host, port } = parseBind(this.#wish.bind)!;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
    this.#server = server;
  }

  /** The port that it listens on; 0 while it does not. */
  get port(): number {
    return (this.#server?.address() as AddressInfo | null | undefined)?.port ?? 0;
  }

  /** Answers a token of a name until the returned function is called. */
  offer(name: string, token: string, answer: string): () => void {
    const key = `${name} ${CHALLENGES}${token}`;
    this.#offered.set(key, answer);
    return () => this.#offered.delete(key);
  }

  async close(): Promise<void> {
    const server = this.#server;
    if (server === null) return;
    this.#server = null;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  }

  #answer({ headers, method, url = '' }: IncomingMessage, outgoing: ServerResponse): void {
    const name = (headers.host ?? '').replace(/:\d{1,5}$/, '').toLowerCase();
    const say = (status: number, more: Record<string, string> = {}, body = ''): void => {
      outgoing.writeHead(status, { ...more, 'Content-Length': Buffer.byteLength(body), Connection: 'close' });
      outgoing.end(method === 'HEAD' ? undefined : body);
    };
    if (!this.#wish.sites.has(name)) return say(421);
    if (!url.startsWith('/')) return say(400);
    if (!url.startsWith(CHALLENGES)) return say(308, { Location: `https://${name}${this.#portText}${url}` });
    const reply = (answer: string | null | undefined): void =>
      answer === undefined || answer === null
        ? say(404)
        : say(200, { 'Content-Type': 'application/octet-stream', 'Cache-Control': 'no-store' }, answer);
    if (method !== 'GET' && method !== 'HEAD') return reply(null);
    const answer = this.#offered.get(`${name} ${url}`);
    const token = url.slice(CHALLENGES.length);
    const isAsked = answer === undefined && TOKEN.test(token) && token.length <= limits.acme.tokenCharsMax;
    const { elsewhere } = this.#wish;
    if (!isAsked || elsewhere === undefined) return reply(answer);
    void elsewhere(name, token).then(reply);
  }

  get #portText(): string {
    return this.#wish.httpsPort === 443 ? '' : `:${this.#wish.httpsPort}`;
  }
}
