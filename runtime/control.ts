/**
 * `control.sock` in the data directory (0600): operator verbs reach the running node through it; with no node, the same
 * verb starts one without doors (docs/contract/platform.md §1.2). A request is one JSON body; the answer is lines
 * of JSON: `{progress}` while it runs, then `{result}` or `{error}`.
 */
import { chmodSync, existsSync, rmSync } from 'node:fs';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { runVerb, type OperatedNode } from './control-verbs.ts';
import type { Told } from './provision.ts';

const BODY_BYTES_MAX = 1024 * 1024;

interface Line {
  readonly progress?: string;
  readonly result?: unknown;
  readonly error?: string;
}

export function socketPath(dataDir: string): string {
  return join(dataDir, 'control.sock');
}

/** Serves the control socket; gives the function that closes it. */
export async function openControl(dataDir: string, node: OperatedNode): Promise<() => Promise<void>> {
  const path = socketPath(dataDir);
  rmSync(path, { force: true }); // this process holds the directory's lock, so an existing socket was left by a dead node
  const server = createServer((incoming, outgoing) => void answer(node, incoming, outgoing));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  chmodSync(path, 0o600);
  return () => new Promise((resolve) => server.close(() => resolve()));
}

async function answer(node: OperatedNode, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const say = (line: Line): void => void outgoing.write(`${JSON.stringify(line)}\n`);
  try {
    const body = await readJson(incoming);
    const result = await runVerb(node, (incoming.url ?? '/').slice(1), body, (progress) => say({ progress }));
    say({ result: result ?? null });
  } catch (error) {
    say({ error: (error as Error).message });
  }
  outgoing.end();
}

/** Sends a verb to the node that has the directory open; undefined when none is running. Throws what the verb throws. */
export async function callControl(
  dataDir: string,
  verb: string,
  body: unknown,
  told: Told = () => undefined,
): Promise<{ result: unknown } | undefined> {
  if (!existsSync(socketPath(dataDir))) return undefined;
  const incoming = await new Promise<IncomingMessage | undefined>((resolve, reject) => {
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
  return incoming === undefined ? undefined : readAnswer(incoming, told);
}

async function readAnswer(incoming: IncomingMessage, told: Told): Promise<{ result: unknown }> {
  for await (const text of createInterface({ input: incoming })) {
    const line = JSON.parse(text) as Line;
    if (line.error !== undefined) throw new Error(line.error);
    if (line.result !== undefined) return { result: line.result };
    if (line.progress !== undefined) told(line.progress);
  }
  throw new Error('the node ended before it answered: whether the verb was carried out is unknown');
}

/** Reads a body that is too large to its end too: a client whose write is cut off would not get the refusal. */
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
