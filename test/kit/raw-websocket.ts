/** A WebSocket by hand (RFC 6455): what no well-behaved client would send, and one that does not read. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Headers } from './test-node.ts';

export interface Frame {
  readonly opcode: number;
  readonly payload: Buffer;
}

export const TEXT = 1;
export const CLOSE = 8;
export const PING = 9;

export interface RawWebSocket {
  readonly socket: Socket;
  /** The head of the handshake's answer. */
  readonly head: string;
  readonly frames: Frame[];
  /** The texts as JSON. */
  readonly messages: () => Record<string, unknown>[];
  /** The code that the other side closed with; null while it has not. */
  readonly code: () => number | null;
  readonly bytes: () => number;
  readonly isClosed: () => boolean;
  readonly send: (message: object) => void;
}

/** Sends a handshake, over a connection that is there already or a new one, and gives what was answered; frames follow where that was 101. */
export async function rawWebSocket(
  gateway: string,
  path: string,
  headers: Headers = {},
  through?: Socket,
): Promise<RawWebSocket> {
  const { hostname, port } = new URL(gateway);
  const socket = through ?? connect(Number(port), hostname);
  const lines = Object.entries({
    Host: `${hostname}:${port}`,
    Upgrade: 'websocket',
    Connection: 'Upgrade',
    'Sec-WebSocket-Key': randomBytes(16).toString('base64'),
    'Sec-WebSocket-Version': '13',
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  let rest: Buffer = Buffer.alloc(0);
  while (!rest.includes('\r\n\r\n')) rest = Buffer.concat([rest, ((await once(socket, 'data')) as [Buffer])[0]]);
  const end = rest.indexOf('\r\n\r\n') + 4;
  const head = rest.subarray(0, end).toString();
  rest = rest.subarray(end);
  const frames: Frame[] = [];
  let bytes = 0;
  let closed = false;
  socket.on('data', (piece: Buffer) => {
    bytes += piece.length;
    rest = Buffer.concat([rest, piece]);
    for (let frame = frameOf(rest); frame !== null; frame = frameOf(rest)) {
      frames.push(frame);
      rest = rest.subarray(frame.bytes);
    }
  });
  socket.on('error', () => undefined);
  socket.on('close', () => (closed = true));
  socket.on('end', () => (closed = true));
  return {
    socket,
    head,
    frames,
    messages: () =>
      frames
        .filter(({ opcode }) => opcode === TEXT)
        .map(({ payload }) => JSON.parse(payload.toString()) as Record<string, unknown>),
    code: () => frames.find(({ opcode }) => opcode === CLOSE)?.payload.readUInt16BE(0) ?? null,
    bytes: () => bytes,
    isClosed: () => closed,
    send: (message) => void socket.write(frameWith(Buffer.from(JSON.stringify(message)))),
  };
}

/** A frame of a client. `masked: false` is what RFC 6455 §5.1 forbids. */
export function frameWith(payload: Buffer, { opcode = TEXT, masked = true, fin = true } = {}): Buffer {
  const { length } = payload;
  const bit = masked ? 0x80 : 0;
  const long = length > 0xffff ? 127 : length > 125 ? 126 : length;
  const size = Buffer.alloc(long === 127 ? 8 : long === 126 ? 2 : 0);
  if (long === 126) size.writeUInt16BE(length);
  if (long === 127) size.writeBigUInt64BE(BigInt(length));
  const head = Buffer.concat([Buffer.from([(fin ? 0x80 : 0) | opcode, bit | long]), size]);
  if (!masked) return Buffer.concat([head, payload]);
  const mask = randomBytes(4);
  return Buffer.concat([head, mask, payload.map((byte, i) => byte ^ mask[i % 4]!)]);
}

/** The first frame of what a server sent, which is never masked; null where it is not whole. */
function frameOf(bytes: Buffer): (Frame & { readonly bytes: number }) | null {
  if (bytes.length < 2) return null;
  const short = bytes[1]! & 0x7f;
  const at = short === 127 ? 10 : short === 126 ? 4 : 2;
  if (bytes.length < at) return null;
  const length = short === 127 ? Number(bytes.readBigUInt64BE(2)) : short === 126 ? bytes.readUInt16BE(2) : short;
  if (bytes.length < at + length) return null;
  return { opcode: bytes[0]! & 0x0f, payload: bytes.subarray(at, at + length), bytes: at + length };
}
