/** A node as a process of its own that can be killed whole, or in its host's thread alone. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { tally } from '#test/kit/tally.ts';

const child = fileURLToPath(new URL('../host-killing-child.ts', import.meta.url));

export interface KillableNode {
  readonly gateway: string;
  /** SIGKILL; resolves once the process is gone. */
  killProcess(): Promise<void>;
  /** Ends the thread of its host, as a crash would; resolves once the thread is gone. */
  killHost(): Promise<void>;
  /** An orderly end; gives the exit code. */
  stop(): Promise<unknown>;
}

export async function startKillable(file: string): Promise<KillableNode> {
  const node = fork(child, [file], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    env: { ...process.env, SKEP_DOOR: 'uws' },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let stderr = '';
  node.stderr!.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const gone = once(node, 'exit');
  const early = gone.then(([code]) => Promise.reject(new Error(`the node ended with ${String(code)}: ${stderr}`)));
  const [listeners] = (await Promise.race([once(node, 'message'), early])) as [Record<string, string>];
  early.catch(() => undefined);
  return {
    gateway: listeners['gateway']!,
    killProcess: async () => {
      node.kill('SIGKILL');
      await gone;
      tally({ kills: 1 });
    },
    killHost: async () => {
      const killed = once(node, 'message');
      node.send('kill');
      await Promise.race([killed, early]);
      tally({ hostKills: 1 });
    },
    stop: async () => {
      node.send('stop');
      return ((await gone) as [unknown])[0];
    },
  };
}
