/** Sends one request over an agent's socket; the agent forwards it to the vault under the caller's own identity. */
import { connect } from 'node:http2';
import { connect as connectSocket } from 'node:net';

/** Asks the agent to attest the shell that started the command line, instead of the command line itself. */
export const ATTEST = 'x-attest';
export const SHELL = 'shell';

export interface AgentAnswer {
  readonly status: number;
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Rejects when no agent listens, or when it does not answer in time. */
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
    const timer = setTimeout(() => session.destroy(new Error(`no answer within ${deadlineMs} ms`)), deadlineMs);
    session.on('error', reject);
    session.on('close', () => {
      clearTimeout(timer);
      reject(new Error('the agent closed the connection')); // without effect once the answer has arrived
    });
    const stream = session.request({ ...lower(headers), ':method': method, ':path': path });
    const pieces: Buffer[] = [];
    let status = 0;
    let received: AgentAnswer['headers'] = {};
    stream.on('error', reject);
    stream.on('response', (answer) => {
      status = Number(answer[':status']);
      received = answer;
    });
    stream.on('data', (piece: Buffer) => pieces.push(piece));
    stream.on('end', () => {
      if (status !== 0) resolve({ status, body: Buffer.concat(pieces), headers: received });
      session.close();
    });
    stream.end(body);
  });
}

const lower = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
