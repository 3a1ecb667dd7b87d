/** Callers of a door that closes, in a process of their own (`node fresh-callers.ts <port> [tls]`): each connects, sends one request a moment later, and connects again, until nothing listens. Says when the first is answered, and in the end how it ended for them. */
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { setTimeout as passed } from 'node:timers/promises';

const CALLERS = 40;
/** Half of them send at once, the others after a while, as a process that waits for its processor does. */
const WHILE_MS_MAX = 300;
const GET = 'GET / HTTP/1.1\r\nHost: door.test\r\n\r\n';

const IS_TLS = process.argv[3] === 'tls';

export const FRESH_CALLERS = fileURLToPath(import.meta.url);

export interface Told {
  readonly answered: number;
  /** Connections that were made and ended without an answer, by what ended them. */
  readonly cut: readonly string[];
}

type End = 'answered' | 'refused' | `cut: ${string}`;

/** One connection. */
async function ask(port: number, whileMs: number): Promise<End> {
  const socket = IS_TLS
    ? connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
    : connect(port, '127.0.0.1');
  let isConnected = false;
  let text = '';
  const over = new Promise<End>((resolve) => {
    let fault = 'end';
    socket.on('error', ({ code }: NodeJS.ErrnoException) => void (fault = code ?? 'error'));
    socket.on('data', (bytes: Buffer) => void (text += bytes.toString('latin1')));
    socket.on('close', () => {
      if (text.startsWith('HTTP/1.1 200 ')) resolve('answered');
      else resolve(isConnected ? `cut: ${fault} after ${whileMs} ms` : 'refused');
    });
  });
  // Over TLS a connection that was accepted is cut as well where it ends within its handshake.
  socket.on('connect', () => void (isConnected = true));
  socket.on(IS_TLS ? 'secureConnect' : 'connect', () => {
    if (whileMs === 0) socket.write(GET);
    else void passed(whileMs).then(() => socket.write(GET));
  });
  socket.on('end', () => socket.end());
  socket.on('data', () => socket.end());
  return over;
}

async function run(port: number, isSlow: boolean, told: { answered: number; cut: string[] }): Promise<void> {
  for (;;) {
    const end = await ask(port, isSlow ? Math.round(Math.random() * WHILE_MS_MAX) : 0);
    if (end === 'refused') return;
    if (end === 'answered' && told.answered++ === 0) process.stdout.write('begun\n');
    if (end !== 'answered') told.cut.push(end);
  }
}

if (process.argv[1] === FRESH_CALLERS) {
  const told = { answered: 0, cut: [] as string[] };
  const port = Number(process.argv[2]);
  await Promise.all(Array.from({ length: CALLERS }, (_, no) => run(port, no % 2 === 1, told)));
  process.stdout.write(JSON.stringify(told) + '\n');
}
