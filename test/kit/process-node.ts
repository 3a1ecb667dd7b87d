/** A node as its own process, for tests that kill it: the command line under the project's Node. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { loadPlatform } from '#config/load.ts';
import { assertSound } from './sound.ts';

const launcher = fileURLToPath(new URL('../../runtime/cli/skep', import.meta.url));

export interface ProcessNode {
  readonly pid: number;
  readonly listeners: Readonly<Record<string, string>>;
  /** Milliseconds from the start of the process to its readiness. */
  readonly startMs: number;
  /** Ends it with a signal, if it has not ended; the exit code or the signal's name. Its directory is looked through once. */
  end(signal: NodeJS.Signals): Promise<number | string>;
  /** The exit, when it ends by itself. */
  readonly exited: Promise<number | string>;
  /** What it wrote to standard error so far. */
  stderr(): string;
  /** What it wrote to standard output so far: its log. */
  logged(): string;
}

/** Starts `skep [verb] -f file -l info` and waits until it says where it listens. Rejects with its output when it ends before. */
export async function startProcess(
  file: string,
  env: Readonly<Record<string, string>> = {},
  wrapper: readonly string[] = [],
  verb: readonly string[] = [],
): Promise<ProcessNode> {
  const began = performance.now();
  const words = [...wrapper, launcher, ...verb, '-f', file, '-l', 'info'];
  const child = spawn(words[0]!, words.slice(1), {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise<number | string>((resolve) =>
    child.on('exit', (code, signal) => resolve(signal ?? code ?? 'lost')),
  );
  let errors = '';
  let logged = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (logged += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const listeners = await Promise.race([
    servingLine(child),
    exited.then((how) => Promise.reject(new Error(`ended ${how}: ${errors}`))),
  ]);
  const startMs = performance.now() - began;
  let judged: Promise<void> | null = null;
  return {
    pid: child.pid!,
    listeners,
    startMs,
    exited,
    stderr: () => errors,
    logged: () => logged,
    end: async (signal) => {
      child.kill(signal);
      const how = await exited;
      if (how === 0 && verb.length === 0) await (judged ??= soundAfter(file, env));
      return how;
    },
  };
}

/** A node that has ended by itself has left a directory without a fault. */
async function soundAfter(file: string, env: Readonly<Record<string, string>>): Promise<void> {
  const loaded = loadPlatform(file, { env });
  if ('platform' in loaded) await assertSound(loaded.platform.storage.dir);
}

/** The `serving` log line's listeners. */
function servingLine(child: ChildProcess): Promise<Readonly<Record<string, string>>> {
  return new Promise((resolve) => {
    createInterface({ input: child.stdout! }).on('line', (line) => {
      if (!line.startsWith('{')) return;
      const entry = JSON.parse(line) as { msg?: string; listeners?: Record<string, string> };
      if (entry.msg === 'serving' && entry.listeners !== undefined) resolve(entry.listeners);
    });
  });
}
