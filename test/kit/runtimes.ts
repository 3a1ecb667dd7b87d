/** Bun and Deno, other runtimes of JavaScript, from the npm registry (`.ci/run` installs both). In CI their absence fails. */
import { spawnSync } from 'node:child_process';

/** How each runs a module; Deno with nothing but connections to this machine. */
export const RUNTIMES = {
  node: ['node'],
  bun: ['bun', 'run'],
  deno: ['deno', 'run', '--quiet', '--no-config', '--allow-net=127.0.0.1'],
} as const;

const missing: readonly string[] = Object.values(RUNTIMES)
  .map(([program]) => program)
  .filter((program) => spawnSync(program, ['--version']).status !== 0);

export const lacks = (program: string): boolean => missing.includes(program);

if (missing.length > 0) {
  const message = `skipped: no ${missing.join(' and no ')} on this machine, so the client was NOT tested there`;
  if (process.env['CI'] !== undefined) throw new Error(message);
  process.stderr.write(`\n*** ${message} ***\n`);
}
