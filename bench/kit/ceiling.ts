/** Starts the raw uWebSockets.js hello that every HTTP figure is compared with. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { LoadRequest } from './load-script.ts';

/** What the ceiling is asked: no headers, no credential, no body, so that it stays the least work there is. */
export const HELLO: LoadRequest = { method: 'GET', headers: {}, body: null };

export interface Ceiling {
  readonly url: string;
  /** Makes its answers as long as those it is compared with. */
  setBytes(bytes: number): Promise<void>;
  stop(): Promise<void>;
}

export async function startCeiling(): Promise<Ceiling> {
  const child = fork(fileURLToPath(new URL('./hello.ts', import.meta.url)), {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  const port = await reply(child);
  return {
    url: `http://127.0.0.1:${String(port)}/`,
    setBytes: async (bytes) => {
      child.send(bytes);
      await reply(child);
    },
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

/** The child's next message; rejects when it ends instead. */
function reply(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const gone = (code: number | null): void => reject(new Error(`the ceiling ended with ${code}`));
    child.once('exit', gone);
    child.once('message', (message) => {
      child.off('exit', gone);
      resolve(message);
    });
  });
}
