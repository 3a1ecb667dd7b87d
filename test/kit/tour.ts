/** A folder in which the README's commands work as printed, and one bash for all of them. */
import { spawn } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { ownFolder, root, startDemo } from './demo-process.ts';
import { freePortBase } from './free-port.ts';

export interface TourFolder {
  readonly path: string;
  readonly portBase: number;
  /** Runs a line that starts the node, and waits until it serves. */
  start(command: string): Promise<void>;
}

/** `npm start` and `runtime/cli/skep` are there, and the node's `.skep` will be. */
export async function tourFolder(): Promise<TourFolder> {
  const path = ownFolder();
  for (const name of ['package.json', 'runtime']) symlinkSync(join(root, name), join(path, name));
  const portBase = await freePortBase();
  const env = { SKEP_PORT_BASE: String(portBase), SKEP_DATA: '', SKEP_CONSOLE: 'off' };
  return {
    path,
    portBase,
    start: async (command) => void (await startDemo(command, path, join(path, '.skep'), env)),
  };
}

export interface Shell {
  /** Runs a text to its end: what both streams said, and the exit code of its last command. */
  run(text: string): Promise<{ readonly output: string; readonly code: number }>;
}

const MARK = '--- the block has ended:';

/** One bash that keeps its variables from text to text; `env` adds to the environment. */
export function openShell(cwd: string, env: Readonly<Record<string, string>> = {}): Shell {
  const child = spawn('bash', ['--norc', '-u'], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.stdin.end());
  let heard = '';
  let onText = (): void => {};
  let lost = (_error: Error): void => {};
  child.on('close', () => lost(new Error(`bash ended: ${heard}`)));
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    heard += text;
    onText();
  });
  const ended = (): { output: string; code: number } | null => {
    const found = new RegExp(`^([\\s\\S]*)\\n${MARK} (\\d+)\\n$`).exec(heard);
    if (found === null) return null;
    heard = '';
    return { output: found[1]!, code: Number(found[2]) };
  };
  return {
    run: (text) =>
      new Promise((resolve, reject) => {
        lost = reject;
        onText = () => {
          const result = ended();
          if (result !== null) resolve(result);
        };
        child.stdin.write(`{\n${text}\n} </dev/null 2>&1\nprintf '\\n${MARK} %s\\n' "$?"\n`);
      }),
  };
}
