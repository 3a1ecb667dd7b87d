/** A node as its own process, for tests that kill it: the command line under the project's Node. */
import { loadPlatform } from '#config/load.ts';
import { startServing } from './serving-process.ts';
import { assertSound } from './sound.ts';

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
  spawned: (pid: number) => void = () => undefined,
): Promise<ProcessNode> {
  const began = performance.now();
  const served = await startServing([...verb, '-f', file, '-l', 'info'], { env, wrapper, spawned });
  const startMs = performance.now() - began;
  let judged: Promise<void> | null = null;
  return {
    pid: served.pid,
    listeners: served.listeners,
    startMs,
    exited: served.ended,
    stderr: () => served.stderr(),
    logged: () => served.stdout(),
    end: async (signal) => {
      served.signal(signal);
      const how = await served.ended;
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
