/** The job thread's side: takes jobs one after the other, loads what each kind needs, says what came of it. */
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { BeginMessage, JobThreadData, ThreadMessage } from './messages.ts';
import { BELL, HANDED, RUNG, RUNNING, SILENT } from './messages.ts';
import { loadJob } from './kinds.ts';

const { line, cells, began } = workerData as JobThreadData;

const say = (message: ThreadMessage): void => line.postMessage(message);

/** Asks the host and waits, at most so many milliseconds; null when it does not answer in time. */
function askHost(no: number, text: string, waitMs: number): string | null {
  Atomics.store(cells, BELL, SILENT);
  say({ no, ask: text });
  if (Atomics.load(cells, BELL) !== RUNG) Atomics.wait(cells, BELL, SILENT, waitMs);
  return (receiveMessageOnPort(line)?.message as string | undefined) ?? null;
}

async function runJob({ no, slot, kind, body }: BeginMessage): Promise<void> {
  // The host may have taken it back meanwhile.
  if (Atomics.compareExchange(cells, HANDED + slot, no, 0) !== no) return;
  const run = await loadJob(kind);
  // The budget counts from here: what the job needs is loaded.
  began[0] = process.hrtime.bigint();
  Atomics.store(cells, RUNNING, no);
  say({ no, result: await run(body as never, (text, waitMs) => askHost(no, text, waitMs)) });
}

let last = Promise.resolve();
parentPort!.on('message', (message: BeginMessage) => {
  last = last.then(() => runJob(message));
});
