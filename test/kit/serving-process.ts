/** A command line of skep as its own process, which says on its standard output when it serves. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { tally } from './tally.ts';

const launcher = fileURLToPath(new URL('../../runtime/cli/skep', import.meta.url));

export interface ServingProcess {
  readonly pid: number;
  /** As its `serving` line names them. */
  readonly listeners: Readonly<Record<string, string>>;
  /** The exit code or the signal's name. */
  readonly ended: Promise<number | string>;
  /** What it wrote so far. */
  stdout(): string;
  stderr(): string;
  signal(name: NodeJS.Signals): void;
}

export interface ServingWish {
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string>>;
  /** A program that starts it, with its arguments. */
  readonly wrapper?: readonly string[];
  /** Is told its process id at once, also of one that waits before it serves. */
  readonly spawned?: (pid: number) => void;
  /** Is told each line of its log, also of one that waits before it serves. */
  readonly said?: (line: string) => void;
}

/** Waits until it serves; rejects with what it wrote when it ends before. */
export async function startServing(words: readonly string[], wish: ServingWish): Promise<ServingProcess> {
  const [program, ...args] = [...(wish.wrapper ?? []), launcher, ...words];
  const child = spawn(program!, args, {
    cwd: wish.cwd,
    env: { ...process.env, ...wish.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  wish.spawned?.(child.pid!);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<number | string>((resolve) =>
    child.on('exit', (code, signal) => resolve(signal ?? code ?? 'lost')),
  );
  const serving = new Promise<Readonly<Record<string, string>>>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      wish.said?.(line);
      if (!line.startsWith('{')) return;
      const entry = JSON.parse(line) as { msg?: string; listeners?: Record<string, string> };
      if (entry.msg === 'serving') resolve(entry.listeners ?? {});
    });
  });
  const over = ended.then((how) => Promise.reject(new Error(`ended ${how}: ${stderr}${stdout}`)));
  const listeners = await Promise.race([serving, over]);
  over.catch(() => undefined);
  return {
    pid: child.pid!,
    listeners,
    ended,
    stdout: () => stdout,
    stderr: () => stderr,
    signal: (name) => {
      if (child.kill(name) && name === 'SIGKILL') tally({ kills: 1 });
    },
  };
}
