/** A real HTTP server that answers as providers of captchas do (`siteverify`): each answer that it knows counts once. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SiteVerifyServer {
  readonly url: string;
  /** `127.0.0.1:<port>`, as `outbound.allow_private` takes it. */
  readonly host: string;
  /** What it was asked. */
  readonly asked: Record<string, string>[];
  /** Answers that count, once each. */
  readonly good: Set<string>;
  /** When set, it answers with this status and text. */
  broken: { readonly status: number; readonly text: string } | null;
  stop(): Promise<void>;
}

export const SECRET = 'the secret of the site';

export async function startSiteVerify(): Promise<SiteVerifyServer> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const isForm = request.headers['content-type'] === 'application/x-www-form-urlencoded';
      const form = Object.fromEntries(new URLSearchParams(isForm ? Buffer.concat(chunks).toString() : ''));
      self.asked.push(form);
      const { status, text } = self.broken ?? { status: 200, text: JSON.stringify(said(self, form)) };
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const self: SiteVerifyServer = {
    url: `http://${host}/siteverify`,
    host,
    asked: [],
    good: new Set(),
    broken: null,
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return self;
}

function said({ good }: SiteVerifyServer, { secret, response = '' }: Record<string, string>): object {
  if (secret !== SECRET) return { success: false, 'error-codes': ['invalid-input-secret'] };
  return good.delete(response) ? { success: true } : { success: false, 'error-codes': ['timeout-or-duplicate'] };
}
