/** A receiver of webhooks: an HTTP server that keeps what it gets, and answers as a test says. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly path: string;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Receiver {
  readonly port: number;
  readonly received: Received[];
  /** 200 unless a test says otherwise. */
  answer: (received: Received, response: ServerResponse) => void;
  stop(): Promise<void>;
}

export async function startReceiver(port = 0, host = '127.0.0.1'): Promise<Receiver> {
  const receiver = {
    port: 0,
    received: [] as Received[],
    answer: (_received: Received, response: ServerResponse) => void response.end(),
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url = '', method = '', headers } = request;
      const one = { path: url, method, headers, body: Buffer.concat(chunks).toString() };
      receiver.received.push(one);
      receiver.answer(one, response);
    });
    request.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  receiver.port = (server.address() as AddressInfo).port;
  return receiver;
}
