/** The state that the node:http door keeps of a connection, and its answers to bytes that the parser refuses. */
import type { Socket } from 'node:net';
import { statusLine } from './answer-head.ts';

/** A request as its connection sees it. */
interface Visitor {
  /** Whether the whole request has arrived. */
  readonly received: boolean;
  /** Called when the connection is gone. */
  leave(): void;
  /** Called when the rest of the request did not come in time. */
  expire(): void;
}

export interface NodeConnection {
  readonly visits: Set<Visitor>;
  /** The newest visit, which may be answered already. */
  last: Visitor | null;
  /** The client certificate, kept after the first visit that asks for it. */
  peer: string | null;
  /** No further request is taken, since the bytes that follow cannot be trusted; the next answer closes the connection. */
  over: boolean;
  /** The parser has failed, and its error was answered. */
  broken: boolean;
}

const STATUS_OF_CODE: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_INVALID_METHOD: 501,
  HPE_INVALID_VERSION: 505,
  HPE_PAUSED_H2_UPGRADE: 505,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Answers bytes that are no request. A whole request that came before them still gets its own answer first. */
export function answerBroken(error: Error & { code?: string }, socket: Socket, connection: NodeConnection): void {
  if (connection.broken) return;
  connection.broken = true;
  connection.over = true;
  for (const visit of connection.visits) if (visit.received) return;
  refuseSocket(socket, STATUS_OF_CODE[error.code ?? ''] ?? 400);
}

/**
 * Ends a request that did not come whole in time. Where its head has come, its visit refuses it as the reader of the body wishes; where it is
 * answered already, the connection closes.
 */
export function endLate(error: Error, socket: Socket, connection: NodeConnection): void {
  const { last } = connection;
  if (last === null || last.received) {
    answerBroken(error, socket, connection);
    return;
  }
  connection.over = true;
  if (connection.visits.has(last)) last.expire();
  else socket.destroy();
}

/** A bare answer on a connection without a response object, which then closes. */
export function refuseSocket(socket: Socket, status: number): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  socket.write(`HTTP/1.1 ${statusLine(status)}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  socket.destroySoon();
}
