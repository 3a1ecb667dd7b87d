/** One request over an agent's socket: what it forwards to the vault under the caller's own identity. */
import { connect } from 'node:http2';
import { connect as connectSocket } from 'node:net';

/** What a command line asks to be known as: the shell that has started it. */
export const ATTEST = 'x-attest';
export const SHELL = 'shell';

export interface AgentAnswer {
  readonly status: number;
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Rejects when no agent listens, or none answers within the time. */
export function askAgent(
  socket: string,
  method: string,
  path: string,
  body: Buffer | undefined,
  headers: Readonly<Record<string, string>>,
  deadlineMs: number,
): Promise<AgentAnswer> {
  return new Promise((resolve, reject) => {
    const session = connect('http://agent', { createConnection: () => connectSocket(socket) });
    const timer = setTimeout(() => session.destroy(new Error(`nothing within ${deadlineMs} ms`)), deadlineMs);
    session.on('error', reject);
    session.on('close', () => {
      clearTimeout(timer);
      reject(new Error('the agent closed the connection')); // nothing, where the answer has come
    });
    const stream = session.request({ ...lower(headers), ':method': method, ':path': path });
    const pieces: Buffer[] = [];
    let status = 0;
    let told: AgentAnswer['headers'] = {};
    stream.on('error', reject);
    stream.on('response', (answer) => {
      status = Number(answer[':status']);
      told = answer;
    });
    stream.on('data', (piece: Buffer) => pieces.push(piece));
    stream.on('end', () => {
      if (status !== 0) resolve({ status, body: Buffer.concat(pieces), headers: told });
      session.close();
    });
    stream.end(body);
  });
}

const lower = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
