/** One step as a process of its own: whatever it does to itself, the next one runs, and nothing of it stays behind. */
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { ROOT } from '#bench/kit/machine.ts';
import type { RunReport } from '#bench/kit/report.ts';
import type { Step } from './record.ts';
import type { Wish } from './steps.ts';

const SAID_CHARS_MAX = 4000;
/** A step may take so many times what it was thought to, and so much more. */
const PATIENCE = 4;
const PATIENCE_SECONDS = 120;
const STOP_MS_MAX = 30_000;

/** Ends a step's process and whatever it has started: they are a group. */
function endGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    process.kill(-child.pid!, signal);
  } catch {
    // No process of the group is left.
  }
}

export interface Place {
  /** Where the step leaves its report. */
  readonly json: string;
  /** Flags that every step has. */
  readonly flags: readonly string[];
}

/** Never rejects: what went wrong is the step's failure. */
export async function runStep({ kind, name, command, seconds }: Wish, { json, flags }: Place): Promise<Step> {
  rmSync(json, { force: true });
  const began = performance.now();
  const ended = await runToEnd([...command, ...flags, '--json', json], 1000 * (PATIENCE * seconds + PATIENCE_SECONDS));
  const step = { kind, name, tookSeconds: Math.round((performance.now() - began) / 1000) };
  try {
    return { ...step, report: JSON.parse(readFileSync(json, 'utf8')) as RunReport };
  } catch {
    return { ...step, report: null, failure: ended };
  }
}

/** How it ended, in words. */
function runToEnd(args: readonly string[], msMax: number): Promise<string> {
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'ignore', 'pipe'], detached: true });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said = (said + chunk.toString('utf8')).slice(-SAID_CHARS_MAX)));
  const withUs = (): void => endGroup(child, 'SIGKILL');
  // The process must end before the directory in which it writes is removed.
  process.prependOnceListener('exit', withUs);
  let late = '';
  const impatient = setTimeout(() => {
    late = `it took longer than ${Math.round(msMax / 1000)} s; `;
    endGroup(child, 'SIGTERM');
    setTimeout(() => endGroup(child, 'SIGKILL'), STOP_MS_MAX).unref();
  }, msMax);
  return new Promise((resolve) => {
    child.once('error', (error) => (said += error.message));
    child.once('close', (code, signal) => {
      clearTimeout(impatient);
      process.off('exit', withUs);
      endGroup(child, 'SIGKILL');
      resolve(`${late}it ended with ${code ?? signal}: ${said.trim().split('\n').at(-1) ?? ''}`);
    });
  });
}
