/**
 * Developer verbs: `/secret/…` and `/jwt` of the vault over the agent's socket (docs/contract/vault.md §2.2: the local agent attests the calling
 * shell). The request is forwarded under the caller's own SPIFFE ID and certificate: policies decide as for any workload. `/status` gives the state
 * of the agent to any local user; it holds nothing secret.
 */
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { limits } from '#config/limits.ts';
import { ATTEST, SHELL } from './agent-client.ts';
import { PeerChanged, type AttestedPeer } from './attestor.ts';
import type { SvidKeeper } from './svid-keeper.ts';
import { VaultAway, VaultRefused, type VaultCalls } from './vault-calls.ts';

const OPEN_PATHS = /^\/(?:secret(?:\/|$)|jwt(?:\/verify)?$)/;
const STATUS_PATH = '/status';
const SENT_ON = ['x-customer', 'x-product', 'x-env', 'x-tenant'] as const;
/** Selects one of several identities. */
const WISH = 'x-spiffe-id';

export interface ForwardPorts {
  readonly status: () => object;
  readonly keeper: SvidKeeper;
  readonly calls: VaultCalls;
}

/** Answers with the vault's answer, or, in the same form, with the reason why the vault was not asked. */
export async function forward(
  { keeper, calls, status }: ForwardPorts,
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  peer: AttestedPeer,
): Promise<void> {
  try {
    const path = plainPath(headers[':path'] ?? '');
    if (path === STATUS_PATH && headers[':method'] === 'GET') return send(stream, 200, status());
    if (path === null || !OPEN_PATHS.test(path.split('?', 1)[0]!))
      return answer(stream, 404, 'agent.not_found', 'the agent forwards /secret/… and /jwt only');
    const body = await readBody(stream);
    if (body === null) return answer(stream, 413, 'agent.too_large', 'the body is too large');
    const found = await peer.select(keeper.identities, headers[ATTEST] === SHELL ? 'shell' : 'itself');
    const wish = headers[WISH];
    const identity = wish === undefined ? found[0] : found.find(({ spiffe_id }) => spiffe_id === wish);
    if (identity === undefined)
      return answer(
        stream,
        403,
        'agent.no_identity',
        'no identity is registered for this process: an operator adds one with skep vault identity register',
      );
    const { badge } = await keeper.x509(identity);
    const more = Object.fromEntries(
      SENT_ON.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])),
    );
    const answered = await calls.send(
      headers[':method'] ?? 'GET',
      path,
      badge,
      body.length === 0 ? undefined : body,
      more,
    );
    pass(stream, answered);
  } catch (error) {
    if (error instanceof PeerChanged) return answer(stream, 403, 'agent.peer_changed', error.message);
    if (error instanceof VaultRefused) return answer(stream, 403, error.code, error.message);
    if (error instanceof VaultAway) return answer(stream, 503, 'vault-not-connected', error.message);
    answer(stream, 500, 'agent.internal', 'the agent failed: see its log');
  }
}

/** The path as the vault will see it: `..`, `%2e` and `\` are resolved before it is checked. Null for an invalid path. */
export function plainPath(path: string): string | null {
  if (!path.startsWith('/') || !URL.canParse(path, NOWHERE)) return null;
  const { origin, pathname, search } = new URL(path, NOWHERE);
  return origin === NOWHERE ? pathname + search : null;
}

const NOWHERE = 'http://agent';

function pass(stream: ServerHttp2Stream, answered: Awaited<ReturnType<VaultCalls['send']>>): void {
  if (stream.destroyed) return;
  const kept = ['content-type', 'cache-control', 'x-secret-version'].flatMap((name) => {
    const value = answered.headers[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  stream.respond({ ':status': answered.status, ...Object.fromEntries(kept) });
  stream.end(answered.body);
}

function answer(stream: ServerHttp2Stream, status: number, code: string, error: string): void {
  send(stream, status, { error, code });
}

function send(stream: ServerHttp2Stream, status: number, body: object): void {
  if (stream.destroyed || stream.headersSent) return;
  stream.respond({ ':status': status, 'content-type': 'application/json; charset=utf-8' });
  stream.end(JSON.stringify(body));
}

async function readBody(stream: ServerHttp2Stream): Promise<Buffer | null> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of stream as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length > limits.vault.bodyBytesMax) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
