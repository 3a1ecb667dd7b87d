/** The job thread's side: loads what a kind of job needs, says that it begins, runs it. */
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { BeginMessage, JobThreadData, ThreadMessage } from './messages.ts';
import { RUNG, SILENT } from './messages.ts';
import { loadJob } from './kinds.ts';

const { line, bell } = workerData as JobThreadData;

/** Asks the host and waits, at most so many milliseconds; null when it does not answer in time. */
function askHost(text: string, waitMs: number): string | null {
  Atomics.store(bell, 0, SILENT);
  line.postMessage(text);
  if (Atomics.load(bell, 0) !== RUNG) Atomics.wait(bell, 0, SILENT, waitMs);
  return (receiveMessageOnPort(line)?.message as string | undefined) ?? null;
}

const say = (message: ThreadMessage): void => parentPort!.postMessage(message);

parentPort!.on('message', ({ no, kind, body }: BeginMessage) => {
  void loadJob(kind).then(async (run) => {
    say({ no, part: 'started' });
    say({ no, part: 'ended', result: await run(body as never, askHost) });
  });
});
