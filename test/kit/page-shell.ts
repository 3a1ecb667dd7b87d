/** Lines of a page in a shell, as a person runs them who took them from there: `skep` is on the path. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ROOT } from '#runtime/place.ts';

interface Where {
  readonly cwd?: string;
  /** Beside what the test has. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Gives what the line prints; throws where it fails. */
export async function runLine(text: string, { cwd, env = {} }: Where = {}): Promise<string> {
  const path = `${ROOT}runtime/cli:${process.env['PATH'] ?? ''}`;
  return (await promisify(execFile)('sh', ['-c', text], { cwd, env: { ...process.env, ...env, PATH: path } })).stdout;
}
