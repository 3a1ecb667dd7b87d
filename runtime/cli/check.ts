/**
 * `npm run check`: runs every `check:…` script of package.json at once; prints each one's output in order, and a failure stops none of the others. `--without floors` leaves one out: `npm test` runs
 * those tests itself.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

interface Result {
  readonly ok: boolean;
  readonly output: string;
}

const root = fileURLToPath(new URL('../../', import.meta.url));

function scripts(): readonly (readonly [name: string, command: string])[] {
  const file = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { scripts: Record<string, string> };
  const { without = [] } = parseArgs({ options: { without: { type: 'string', multiple: true } } }).values;
  const isLeftOut = new Set(without.map((name) => `check:${name}`));
  return Object.entries(file.scripts).filter(([name]) => name.startsWith('check:') && !isLeftOut.has(name));
}

function run(command: string): Promise<Result> {
  const env = { ...process.env, PATH: `${root}node_modules/.bin:${process.env['PATH'] ?? ''}` };
  return new Promise((resolve) => {
    let output = '';
    const child = spawn(command, { cwd: root, env, shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.on('error', (error) => resolve({ ok: false, output: error.message }));
    child.on('close', (code) => resolve({ ok: code === 0, output }));
  });
}

const began = performance.now();
const running = scripts().map(([name, command]) => ({ name, command, result: run(command) }));
let failed = 0;
for (const { name, command, result } of running) {
  const { ok, output } = await result;
  console.log(ok ? `${name} ok` : `${name} failed: ${command}\n\n${output}`);
  if (!ok) failed++;
}
console.log(`checked in ${((performance.now() - began) / 1000).toFixed(1)} s`);
// After a failure the tests do not run: the last line must say so.
if (failed > 0) {
  console.log(`\n${running.length - failed} passed, ${failed} failed`);
  process.exitCode = 1;
}
