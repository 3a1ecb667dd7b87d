/** A command line in this process: what it said, and its exit code. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { runCli } from '#runtime/cli/program.ts';
import type { Terminal } from '#runtime/cli/terminal.ts';

export class Recorder implements Terminal {
  readonly redraws = false;
  readonly columns = 100;
  readonly env: Readonly<Record<string, string>>;
  outText = '';
  errText = '';

  constructor(env: Readonly<Record<string, string>> = {}) {
    this.env = env;
  }

  /** Bytes are shown as UTF-8; a test that needs raw bytes starts a process. */
  out(text: string | Uint8Array): void {
    this.outText += typeof text === 'string' ? text : Buffer.from(text).toString('utf8');
  }

  err(text: string): void {
    this.errText += text;
  }

  now(): number {
    return 0;
  }
}

export async function skep(line: string, env: Readonly<Record<string, string>> = {}) {
  const terminal = new Recorder(env);
  const code = await runCli(line === '' ? [] : line.split(' '), terminal);
  return { code, out: terminal.outText, err: terminal.errText };
}

export function fileOf(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'skep-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'p.yaml');
  writeFileSync(file, text);
  return file;
}
