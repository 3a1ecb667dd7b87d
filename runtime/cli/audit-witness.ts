/**
 * `skep audit witness`: cosigns checkpoints of the logs listed in a file. It serves plain HTTP and leaves TLS to the proxy in front: its answers
 * are signed. Source: C2SP tlog-witness.
 */
import { createPublicKey, hash, sign, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { limits } from '#config/limits.ts';
import { Witness, type WitnessReply, type WitnessStore } from '#actors/audit/witness.ts';
import { keyFiles } from '#runtime/threads/key-files.ts';
import { DirectoryHeld, lockDirectory } from '#storage/lock.ts';
import { openFiles } from '#storage/segment/files.ts';
import { COSIGNATURE, readVerifierKey, verifierKey, type Verifier } from '#storage/segment/note.ts';
import { CliError, EXIT, type Terminal } from './terminal.ts';

export interface WitnessOptions {
  readonly dir: string;
  readonly name: string;
  readonly logs: string;
  readonly listen: string;
}

const RAW_BYTES = 32;
const PATH = '/add-checkpoint';

/** Serves until a signal ends it; prints its verifier key and its address when it does. */
export async function auditWitness(options: WitnessOptions, terminal: Terminal): Promise<void> {
  const logs = readLogs(options.logs);
  const { host, port } = addressOf(options.listen);
  const lock = await lockDirectory(options.dir).catch((error: unknown) => {
    throw error instanceof DirectoryHeld ? new CliError(`skep: ${error.message}\n`) : error;
  });
  try {
    const key = await keyFiles(options.dir).signingKey('witness');
    const verifier = verifierOf(options.name, key);
    const store = storeIn(options.dir);
    const witness = new Witness({
      logs,
      store,
      verifier,
      sign: (message) => sign(null, message, key),
      now: () => Date.now(),
    });
    const server = await listen(witness, host, port);
    const { port: bound } = server.address() as AddressInfo;
    terminal.out(`${verifierKey(verifier, COSIGNATURE)}\nserving ${logs.size} logs on http://${host}:${bound}\n`);
    await ended();
    server.closeAllConnections();
    server.close();
  } finally {
    lock.release();
  }
}

function verifierOf(name: string, key: KeyObject): Verifier {
  if (name === '' || /[\s+\p{Cc}]/u.test(name))
    throw new CliError('skep: a key name has neither spaces nor a plus\n', EXIT.usage);
  return { name, publicKey: createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-RAW_BYTES) };
}

/** One log per line: its verifier key, after the log's origin where that is not the name of the key. */
function readLogs(file: string): Map<string, Verifier> {
  const logs = new Map<string, Verifier>();
  for (const [at, line] of textOf(file).split('\n').entries()) {
    const words = line.trim().split(/\s+/);
    if (line.trim() === '' || line.startsWith('#')) continue;
    const key = readVerifierKey(words.at(-1)!);
    if (key === null || words.length > 2)
      throw new CliError(`skep: ${file}:${at + 1}: write [origin] <name>+<id>+<key>\n`, EXIT.usage);
    logs.set(words.length === 2 ? words[0]! : key.name, key);
  }
  if (logs.size === 0) throw new CliError(`skep: ${file} names no log\n`, EXIT.usage);
  return logs;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CliError(`skep: ${file}: ${(error as Error).message}\n`, EXIT.usage);
  }
}

function addressOf(text: string): { host: string; port: number } {
  const match = /^(\[[0-9a-f:]+\]|[^:]+):(\d{1,5})$/i.exec(text);
  if (match === null || Number(match[2]) > 65_535)
    throw new CliError(`skep: --listen ${text}: write host:port\n`, EXIT.usage);
  return { host: match[1]!.replaceAll(/[[\]]/g, ''), port: Number(match[2]) };
}

/** Stores the last cosigned note: a file for each origin, replaced as a whole and durably. */
function storeIn(directory: string): WitnessStore {
  const files = openFiles(join(directory, 'logs'));
  const pathOf = (origin: string): string => `${hash('sha256', origin, 'hex')}.note`;
  return {
    get: async (origin) => (await files.read(pathOf(origin)))?.toString() ?? null,
    put: (origin, note) => files.save([[pathOf(origin), Buffer.from(note)]]),
  };
}

async function listen(witness: Witness, host: string, port: number): Promise<Server> {
  const server = createServer({ requestTimeout: limits.audit.witnessMs }, (request, response) => {
    void answer(witness, request, response);
  });
  server.listen(port, host);
  await once(server, 'listening');
  return server;
}

async function answer(witness: Witness, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { status, type, body } = await replyTo(witness, request).catch((error: unknown): WitnessReply => ({
    status: 500,
    type: 'text/plain',
    body: `${(error as Error).message}\n`,
  }));
  // Without reading the body, the connection cannot carry another request.
  if (!request.complete) response.setHeader('Connection', 'close');
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) }).end(body);
}

async function replyTo(witness: Witness, request: IncomingMessage): Promise<WitnessReply> {
  const refuse = (status: number, body: string): WitnessReply => ({ status, type: 'text/plain', body });
  if (request.url !== PATH) return refuse(404, 'POST /add-checkpoint\n');
  if (request.method !== 'POST') return refuse(405, 'POST /add-checkpoint\n');
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > limits.audit.witnessBodyBytesMax)
      return refuse(413, `at most ${limits.audit.witnessBodyBytesMax} bytes\n`);
    parts.push(part);
  }
  return witness.add(Buffer.concat(parts));
}

function ended(): Promise<unknown> {
  return Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
}
