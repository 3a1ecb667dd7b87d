/** The job thread's side: takes jobs one after the other, loads what each kind needs, says what came of it. */
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { limits } from '#config/limits.ts';
import type { BeginMessage, JobThreadData, ThreadMessage } from './messages.ts';
import { BELL, HANDED, RUNG, RUNNING, SILENT } from './messages.ts';
import { loadJob } from './kinds.ts';

const { line, cells, began } = workerData as JobThreadData;

const say = (message: ThreadMessage): void => line.postMessage(message);

/** Asks the host and waits, at most so many milliseconds; null when it does not answer in time. */
function askHost(no: number, text: string, waitMs: number): string | null {
  Atomics.store(cells, BELL, SILENT);
  say({ no, ask: text });
  if (!isRungSoon()) Atomics.wait(cells, BELL, SILENT, waitMs);
  return (receiveMessageOnPort(line)?.message as string | undefined) ?? null;
}

/** Most answers are there before a thread that sleeps would be awake again. */
function isRungSoon(): boolean {
  for (const end = performance.now() + limits.jobs.spinMs; performance.now() < end;)
    if (Atomics.load(cells, BELL) === RUNG) return true;
  return false;
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

/** Jobs that came as events while another one was loading or running. */
const waiting: BeginMessage[] = [];
let isAtWork = false;

/** The oldest job: one that came as an event, else one that lies on the port, which needs no turn of the event loop. */
function next(): BeginMessage | undefined {
  return waiting.shift() ?? (receiveMessageOnPort(parentPort!)?.message as BeginMessage | undefined);
}

/** One after the other, in the order in which they came: the host counts on it. */
async function runAll(): Promise<void> {
  if (isAtWork) return;
  isAtWork = true;
  for (let job = next(); job !== undefined; job = next()) await runJob(job);
  isAtWork = false;
}

parentPort!.on('message', (message: BeginMessage) => {
  waiting.push(message);
  void runAll();
});
