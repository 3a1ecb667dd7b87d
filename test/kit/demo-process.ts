/** The demo as its own process in a folder of its own, as a person starts it. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

export const root = fileURLToPath(new URL('../../', import.meta.url));

/** A folder that is gone after the test. */
export function ownFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'skep-demo-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

export interface DemoProcess {
  /** What it wrote so far, both streams. */
  output(): string;
  readonly exited: Promise<number | string>;
}

/** Runs a command line with bash and waits until the demo's last line; at the test's end the node that holds `dataDir` is stopped. */
export async function startDemo(
  command: string,
  cwd: string,
  dataDir: string,
  env: Readonly<Record<string, string>>,
): Promise<DemoProcess> {
  const child = spawn('bash', ['-c', command], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const exited = new Promise<number | string>((resolve) =>
    child.on('close', (code, signal) => resolve(signal ?? code ?? 'lost')),
  );
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) process.kill(holder(dataDir), 'SIGTERM');
    await exited;
  });
  const ready = new Promise<void>((resolve) => {
    const see = (text: string): void => {
      output += text;
      if (output.includes('Ctrl-C stops it')) resolve();
    };
    child.stdout.setEncoding('utf8').on('data', see);
    child.stderr.setEncoding('utf8').on('data', see);
  });
  await Promise.race([ready, exited.then((how) => Promise.reject(new Error(`the demo ended (${how}):\n${output}`)))]);
  return { output: () => output, exited };
}

/** The process that has a data directory open. */
export function holder(dataDir: string): number {
  return Number(readFileSync(join(dataDir, 'lock'), 'utf8'));
}
