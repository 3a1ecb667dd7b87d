/** The agent's Unix socket: HTTP/2 without TLS, one peer per connection. Nothing is sent before the peer was inspected. */
import { createServer as createHttp2 } from 'node:http2';
import type { Http2Server, Http2Session, IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { chmodSync, existsSync, lstatSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { limits } from '#config/limits.ts';
import { makeDirectory } from '#storage/directory.ts';
import { AttestedPeer } from './attestor.ts';
import { isServed } from './is-served.ts';
import type { AgentMeter } from './meter.ts';
import { loadPeerCalls, peerOf } from './peer.ts';
import { ExecutableHashes } from './process-facts.ts';

export type StreamHandler = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, peer: AttestedPeer) => void;

export interface AgentSocket {
  close(): Promise<void>;
}

/** Listens at `path` for every local user: attestation decides who gets what. Replaces a socket file that no process serves. */
export async function openAgentSocket(path: string, meter: AgentMeter, handle: StreamHandler): Promise<AgentSocket> {
  makeDirectory(dirname(path));
  await removeStale(path);
  const c = await loadPeerCalls();
  const desk = new Desk(meter, handle, (socket) => peerOf(c, socket));
  const server = createServer((socket) => void desk.receive(socket));
  await listen(server, path);
  chmodSync(path, 0o666);
  return {
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      desk.close();
      await closed;
      rmSync(path, { force: true });
    },
  };
}

class Desk {
  readonly #http2: Http2Server;
  readonly #meter: AgentMeter;
  readonly #peerOf: (socket: Socket) => ReturnType<typeof peerOf>;
  readonly #peers = new WeakMap<Http2Session, AttestedPeer>();
  readonly #sockets = new Set<Socket>();
  readonly #perUid = new Map<number, number>();
  readonly #hashes = new ExecutableHashes();
  /** The peer of the session that begins: Node emits the session within the call that hands its socket over. */
  #entering: AttestedPeer | null = null;

  constructor(meter: AgentMeter, handle: StreamHandler, of: (socket: Socket) => ReturnType<typeof peerOf>) {
    this.#meter = meter;
    this.#peerOf = of;
    const settings = { maxConcurrentStreams: limits.agent.streamsPerConnectionMax, enablePush: false };
    this.#http2 = createHttp2({ settings, maxSessionInvalidFrames: 10 });
    this.#http2.on('session', (session) => this.#peers.set(session, this.#entering!));
    this.#http2.on('sessionError', () => {});
    this.#http2.on('stream', (stream, headers) => {
      stream.on('error', () => {});
      const peer = stream.session === undefined ? undefined : this.#peers.get(stream.session);
      if (peer === undefined) stream.close();
      else handle(stream, headers, peer);
    });
  }

  async receive(socket: Socket): Promise<void> {
    socket.on('error', () => {});
    const found = this.#peerOf(socket);
    if (found === null || !this.#admit(found.uid)) {
      found?.close();
      this.#meter.refusedConnections++;
      socket.destroy();
      return;
    }
    const peer = new AttestedPeer(found, this.#hashes, this.#meter);
    this.#sockets.add(socket);
    this.#meter.connections++;
    socket.once('close', () => {
      this.#sockets.delete(socket);
      this.#perUid.set(peer.uid, this.#perUid.get(peer.uid)! - 1);
      this.#meter.connections--;
      peer.close();
    });
    if (!(await peer.looked())) socket.destroy();
    if (socket.destroyed) return;
    this.#entering = peer;
    this.#http2.emit('connection', socket);
    this.#entering = null;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#http2.close();
  }

  #admit(uid: number): boolean {
    const open = this.#perUid.get(uid) ?? 0;
    if (this.#sockets.size >= limits.agent.connectionsMax || open >= limits.agent.connectionsPerUidMax) return false;
    this.#perUid.set(uid, open + 1);
    return true;
  }
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
}

/** Removes a socket file that an agent left behind; a served socket, or another kind of file, stays. */
async function removeStale(path: string): Promise<void> {
  if (!existsSync(path)) return;
  if (!lstatSync(path).isSocket()) throw new Error(`${path} is not a socket: name another place with --socket`);
  if (await isServed(path)) throw new Error(`another agent serves ${path}`);
  rmSync(path);
}
