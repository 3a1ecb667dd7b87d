/** `skep dev` as its own process in a folder of `skep new`, as a person starts it. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const launcher = fileURLToPath(new URL('../../runtime/cli/skep', import.meta.url));

export interface DevProcess {
  readonly pid: number;
  /** What it wrote so far, both streams. */
  output(): string;
  /** What it wrote since the last call of `mark`. */
  since(): string;
  mark(): void;
  signal(name: NodeJS.Signals): void;
  readonly ended: Promise<number | string>;
}

/** Starts it; at the test's end it is killed where it still runs. */
export function startDev(words: readonly string[], cwd: string, env: Readonly<Record<string, string>>): DevProcess {
  const child = spawn(launcher, ['dev', ...words], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let from = 0;
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const ended = new Promise<number | string>((resolve) =>
    child.on('exit', (code, signal) => resolve(signal ?? code ?? 'lost')),
  );
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return {
    pid: child.pid!,
    output: () => output,
    since: () => output.slice(from),
    mark: () => void (from = output.length),
    signal: (name) => void child.kill(name),
    ended,
  };
}
