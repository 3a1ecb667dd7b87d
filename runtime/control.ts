/**
 * `control.sock` in the data directory (0600): operator verbs reach the running node through it; with no node, the same
 * verb starts one without doors (decisions.md "All services", "One program").
 */
import { chmodSync, existsSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { Node } from './node.ts';

/** What an operator may ask of a node, by name. */
const VERBS: Readonly<Record<string, (node: Node, body: never) => unknown>> = {
  'tenant.provision': (node, body: { tenant: string }) => node.provision(body.tenant),
  'tenant.list': (node) => node.tenants(),
};

const BODY_BYTES_MAX = 1024 * 1024;

export function socketPath(dataDir: string): string {
  return join(dataDir, 'control.sock');
}

/** Runs a verb on a node of this process. Throws on an unknown verb. */
export async function runVerb(node: Node, verb: string, body: unknown): Promise<unknown> {
  const run = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
  if (run === undefined) throw new Error(`no control verb ${verb}`);
  return run(node, body as never);
}

/** Serves the control socket; gives the function that closes it. */
export async function openControl(dataDir: string, node: Node): Promise<() => Promise<void>> {
  const path = socketPath(dataDir);
  rmSync(path, { force: true }); // the directory's lock is ours: a socket that is there is a dead node's
  const server = createServer((incoming, outgoing) => {
    readJson(incoming)
      .then((body) => runVerb(node, (incoming.url ?? '/').slice(1), body))
      .then(
        (result) => outgoing.end(JSON.stringify({ result })),
        (error: unknown) => {
          outgoing.statusCode = 422;
          outgoing.end(JSON.stringify({ error: (error as Error).message }));
        },
      );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  chmodSync(path, 0o600);
  return () => new Promise((resolve) => server.close(() => resolve()));
}

/** Sends a verb to the node that has the directory open; undefined when none is running. */
export async function callControl(
  dataDir: string,
  verb: string,
  body: unknown,
): Promise<{ result: unknown } | undefined> {
  if (!existsSync(socketPath(dataDir))) return undefined;
  const answer = await new Promise<IncomingMessage | undefined>((resolve, reject) => {
    const outgoing = request(
      { socketPath: socketPath(dataDir), path: `/${verb}`, method: 'POST', agent: false },
      resolve,
    );
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED' || error.code === 'ENOENT') resolve(undefined);
      else reject(error);
    });
    outgoing.end(JSON.stringify(body));
  });
  if (answer === undefined) return undefined;
  const parsed = (await readJson(answer)) as { result?: unknown; error?: string };
  if (parsed.error !== undefined) throw new Error(parsed.error);
  return { result: parsed.result };
}

/** Reads to the end even what is too much: who is cut off while it writes never gets the answer. */
async function readJson(message: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= BODY_BYTES_MAX) chunks.push(chunk);
  }
  if (bytes > BODY_BYTES_MAX) throw new Error(`a control message holds at most ${BODY_BYTES_MAX} bytes`);
  return chunks.length === 0 ? null : JSON.parse(Buffer.concat(chunks).toString('utf8'));
}
