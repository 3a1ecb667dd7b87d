/**
 * The documentation over HTTP, for the person at this machine. Any program of the machine may ask, since loopback is no border between its users:
 * the pages are public. A request costs the reading of one file; more than `CONNECTIONS_MAX` callers at once are cut. It runs in a process of its
 * own, so a fault of it hurts no node.
 */
import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { SiteFile } from './site-files.ts';

const HOST = '127.0.0.1';
const CONNECTIONS_MAX = 64;
const NOT_FOUND = '/404.html';
const HEADERS = {
  'Content-Security-Policy': "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  // Another version may be served at the same address tomorrow.
  'Cache-Control': 'no-cache',
};

export interface ServedSite {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves these files on loopback; `port` 0 takes a free one. Rejects where the port is taken. */
export async function serveSite(files: ReadonlyMap<string, SiteFile>, port: number): Promise<ServedSite> {
  const server = createServer((request, response) => {
    // A caller that left while its file was sent is no fault.
    answer(files, request, response).catch(() => response.destroy());
  });
  server.maxConnections = CONNECTIONS_MAX;
  await listen(server, port);
  const address = server.address() as { readonly port: number };
  return {
    url: `http://${HOST}:${address.port}/`,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, resolve);
  });
}

async function answer(
  files: ReadonlyMap<string, SiteFile>,
  { method, url = '' }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (method !== 'GET' && method !== 'HEAD') {
    response.writeHead(405, { ...HEADERS, Allow: 'GET, HEAD' }).end();
    return;
  }
  const found = files.get(url.split('?', 1)[0]!);
  const sent = found ?? files.get(NOT_FOUND);
  const status = found === undefined ? 404 : 200;
  if (sent === undefined) {
    response.writeHead(status, HEADERS).end();
    return;
  }
  const { size } = statSync(sent.file);
  response.writeHead(status, { ...HEADERS, 'Content-Type': sent.type, 'Content-Length': size });
  if (method === 'HEAD') response.end();
  else await pipeline(createReadStream(sent.file), response);
}
