/** Runs Debian's wrk: a closed loop, each connection sends its next request when the last one is answered. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadScript, type LoadRequest } from './load-script.ts';
import { parseWrkOutput, type LoadResult } from './wrk-output.ts';
import { watch } from './watch.ts';

export interface Load {
  readonly url: string;
  readonly request: LoadRequest;
  readonly connections: number;
  readonly threads: number;
  readonly seconds: number;
  /** The only core that it may use; any when absent. */
  readonly core?: number;
}

let runs = 0;

/** One run. Rejects when wrk is missing or does not finish. The script may hold a token: it lies in a private directory. */
export async function runWrk(load: Load): Promise<LoadResult> {
  const directory = await mkdtemp(join(tmpdir(), 'skep-wrk-'));
  try {
    const script = join(directory, 'load.lua');
    const run = `${process.pid.toString(36)}${(Date.now() % 36 ** 6).toString(36)}${(runs++).toString(36)}`;
    await writeFile(script, loadScript(load.request, run), { mode: 0o600 });
    const ended = watch();
    const [command, ...args] = [...pinned(load), 'wrk', ...wrkArguments(load), '-s', script, load.url];
    const text = await output(command, args);
    return { ...parseWrkOutput(text), usage: ended(), threads: load.threads };
  } finally {
    await rm(directory, { recursive: true });
  }
}

const pinned = ({ core }: Load): string[] => (core === undefined ? [] : ['taskset', '-c', String(core)]);

/** wrk refuses more threads than connections. */
export function wrkArguments({ threads, connections, seconds }: Load): string[] {
  const some = Math.min(threads, connections);
  return ['-t', String(some), '-c', String(connections), '-d', `${Math.ceil(seconds)}s`, '--timeout', '10s'];
}

function output(command: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    const take = (chunk: Buffer): void => void (text += chunk.toString('utf8'));
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'ENOENT' ? new Error(`${command} is not installed: apt-get install ${command}`) : error),
    );
    child.once('close', (code) =>
      code === 0 ? resolve(text) : reject(new Error(`${command} ended with ${code}: ${text}`)),
    );
  });
}
