/**
 * `npm run build:console`: builds the console where it is missing or older than its sources. `npm start` runs it with `--behind`: the work then goes on in a process of its own, whatever
 * becomes of it, and the node starts at once.
 */
import { spawn } from 'node:child_process';
import { openSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { ROOT } from '../place.ts';
import { bringUpToDate, isBuilt } from './build-console.ts';

const LOG = `${ROOT}console/build.log`;
/** Of the build behind `npm start`; 0 is that of the node. */
const PRIORITY = 10;

/** `SKEP_CONSOLE=off npm start` builds nothing. */
const isWanted = process.env['SKEP_CONSOLE'] !== 'off';

const say = (text: string): void => console.log(text);

/** The node starts without a console too: what fails here is told in one line, and never fails `npm start`. */
function buildBehind(): void {
  const sayWhyNot = (error: unknown): void => say(`The console is not being built: ${String(error)}`);
  try {
    if (isBuilt()) return;
    // Another start's build may be writing there.
    const log = openSync(LOG, 'a');
    const child = spawn(process.execPath, [fileURLToPath(import.meta.url)], {
      cwd: ROOT,
      detached: true,
      stdio: ['ignore', log, log],
    });
    child.on('error', sayWhyNot);
    child.on('spawn', () => say('The console is being built in the background (what it says: console/build.log).'));
    child.unref();
    if (child.pid !== undefined) giveWay(child.pid);
  } catch (error) {
    sayWhyNot(error);
  }
}

/** The node that starts meanwhile has the processor first; where that cannot be had, the build goes on all the same. */
function giveWay(pid: number): void {
  try {
    setPriority(pid, PRIORITY);
    // Linux shares cores out between sessions first, and the build has one of its own.
    writeFileSync(`/proc/${pid}/autogroup`, String(PRIORITY));
  } catch {}
}

if (process.argv.includes('--behind')) {
  if (isWanted) buildBehind();
} else await bringUpToDate(say);
