/**
 * The documentation over HTTP, for the person at this machine. Any program of the machine may ask, since loopback is no border between its users:
 * the pages are public. A request costs one look-up, and an answer of at most two megabytes out of memory; more than `CONNECTIONS_MAX` callers at once are cut. It runs in a process of its
 * own, so a fault of it hurts no node.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { SiteFile } from './site-files.ts';

const HOST = '127.0.0.1';
const CONNECTIONS_MAX = 64;
const NOT_FOUND = '/404.html';
const HEADERS = {
  'Content-Security-Policy': "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  // Another version may be served at the same address tomorrow.
  'Cache-Control': 'no-store',
};

export interface ServedSite {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves these files on loopback; `port` 0 takes a free one. Rejects where the port is taken. */
export async function serveSite(files: ReadonlyMap<string, SiteFile>, port: number): Promise<ServedSite> {
  const server = createServer((request, response) => answer(files, request, response));
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

function answer(
  files: ReadonlyMap<string, SiteFile>,
  { method, url = '' }: IncomingMessage,
  response: ServerResponse,
): void {
  if (method !== 'GET' && method !== 'HEAD') {
    response.writeHead(405, { ...HEADERS, Allow: 'GET, HEAD' }).end();
    return;
  }
  const found = files.get(url.split('?', 1)[0]!);
  const sent = found ?? files.get(NOT_FOUND);
  const type = sent === undefined ? {} : { 'Content-Type': sent.type };
  const length = sent?.bytes.length ?? 0;
  response.writeHead(found === undefined ? 404 : 200, { ...HEADERS, ...type, 'Content-Length': length });
  // node:http leaves the body of an answer to HEAD out.
  response.end(sent?.bytes);
}
