/** The blocks of the README's tour, a folder in which they work as printed, and one bash for all of them. */
import { spawn } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { DirectoryHeld, lockDirectory } from '#storage/lock.ts';
import { ownFolder, root, startDemo } from './demo-process.ts';
import { freePortBase } from './free-port.ts';
import { linesOf } from './page-commands.ts';

export interface TourBlock {
  readonly kind: 'start' | 'tour';
  /** What stands in bold nearest above it, as the name of what it shows. */
  readonly title: string;
  readonly text: string;
  /** Lines of output; null when none are promised. */
  readonly expected: readonly string[] | null;
}

const FENCE = /```sh (start|tour)\n([\s\S]*?)```\n(?:```text\n([\s\S]*?)```)?/g;
const TITLE = /^\*\*(.+?)\.?\*\*/gm;

/** Those of the README, in their order. */
export function tourBlocks(page: string): TourBlock[] {
  return [...page.matchAll(FENCE)].map(({ index, 1: kind, 2: text, 3: output }) => ({
    kind: kind as TourBlock['kind'],
    title: [...page.slice(0, index).matchAll(TITLE)].at(-1)?.[1] ?? '',
    text: text!,
    expected: output === undefined ? null : linesOf(output),
  }));
}

const TURN_LOOK_MS = 200;

/** The demo's webhook and its weather have ports that no setting moves, so one tour at a time is walked on a machine. Resolves when it is this one's turn, with what ends it. */
export async function tourTurn(): Promise<() => void> {
  const dir = join(tmpdir(), 'skep-tour-turn');
  mkdirSync(dir, { recursive: true });
  for (;;) {
    try {
      const lock = await lockDirectory(dir);
      return () => lock.release();
    } catch (error) {
      if (!(error instanceof DirectoryHeld)) throw error;
    }
    await sleep(TURN_LOOK_MS);
  }
}

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
