import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { ROOT } from '#runtime/place.ts';

const argsOf = (program: string): string[] => [
  '--disable-warning=ExperimentalWarning',
  '--input-type=module',
  '-e',
  program,
];

/** The process that `unshare` has made the first of its own namespace, as this one sees it. */
function firstOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'));
}

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s ends the first process of a container with 0 while it starts',
  async (signal) => {
    const program = `
      import { endWhileStarting } from '${ROOT}runtime/signals.ts';
      endWhileStarting({ info: (fields, text) => console.log(fields.signal, text) }, () => Promise.resolve());
      setInterval(() => undefined, 60_000);
      console.log('starts as', process.pid);`;
    const child = spawn('unshare', ['--pid', '--fork', '--kill-child', process.execPath, ...argsOf(program)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [hello] = (await once(child.stdout, 'data')) as [Buffer];
    expect(hello.toString()).toBe('starts as 1\n');
    const said = once(child.stdout, 'data') as Promise<[Buffer]>;
    process.kill(firstOf(child.pid!), signal);
    expect((await said)[0].toString()).toBe(`${signal} ended before it served: a signal came during the start\n`);
    expect(await once(child, 'exit')).toEqual([0, null]);
  },
);

test.each([
  ['thrown', "setImmediate(() => { throw new Error('a fault of ours'); });"],
  ['a rejection', "void Promise.reject(new Error('a fault of ours'));"],
])('an error that nothing catches is in the log, and ends the process with 70: %s', async (_name, fault) => {
  const program = `
    import { endOnUncaught } from '${ROOT}runtime/signals.ts';
    await endOnUncaught({ error: ({ err }, text) => console.log(text, '-', err.message) });
    setInterval(() => undefined, 60_000);
    ${fault}`;
  const child = spawn(process.execPath, argsOf(program), { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stdout.on('data', (bytes: Buffer) => (said += bytes.toString()));
  expect(await once(child, 'close')).toEqual([70, null]);
  expect(said).toBe('the node cannot go on: nothing has caught this error - a fault of ours\n');
});
