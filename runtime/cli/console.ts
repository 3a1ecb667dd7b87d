/**
 * `npm run build:console`: builds the console where it is missing or older than its sources. `npm start` runs it with `--behind`: the work then goes on in a process of its own, whatever
 * becomes of it, and the node starts at once.
 */
import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ROOT } from '../place.ts';
import { buildConsole, isBuilt } from './build-console.ts';

const LOG = `${ROOT}console/build.log`;

/** `SKEP_CONSOLE=off npm start` builds nothing. */
const isWanted = process.env['SKEP_CONSOLE'] !== 'off';

if (process.argv.includes('--behind')) {
  if (isWanted && !isBuilt()) {
    const log = openSync(LOG, 'w');
    const stdio: ['ignore', number, number] = ['ignore', log, log];
    spawn(process.execPath, [fileURLToPath(import.meta.url)], { cwd: ROOT, detached: true, stdio }).unref();
    console.log('The console is being built in the background (what it says: console/build.log).');
  }
} else if (isBuilt()) console.log('console/dist holds these sources');
else {
  const began = performance.now();
  const isDone = await buildConsole((text) => console.log(text));
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(isDone ? `console/dist built in ${seconds} s` : 'another process is building the console');
}
