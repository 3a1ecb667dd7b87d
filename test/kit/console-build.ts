/** The console, built: one build at a time, also where files of tests run side by side; the second finds it made. */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '#runtime/place.ts';

const BUILD_MS_MAX = 400_000;

export function buildConsole(): void {
  const lock = join(ROOT, 'node_modules/.cache');
  mkdirSync(lock, { recursive: true });
  const build = [join(lock, 'console-build.lock'), process.execPath, `${ROOT}runtime/cli/console.ts`];
  const once = (): void => void execFileSync('flock', build, { stdio: 'inherit', timeout: BUILD_MS_MAX });
  try {
    once();
  } catch {
    // A hiccup of the registry.
    once();
  }
}
