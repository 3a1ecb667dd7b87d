/** The job thread's side: takes jobs one after the other, loads what each kind needs, and sends back the result. */
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { limits } from '#config/limits.ts';
import type { BeginMessage, HostMessage, JobThreadData, ThreadMessage } from './messages.ts';
import { BELL, HANDED, RUNG, RUNNING, SILENT } from './messages.ts';
import { loadJob } from './kinds.ts';

const { line, cells, began } = workerData as JobThreadData;

const NANOS = 1e6;

const say = (message: ThreadMessage): void => line.postMessage(message);

/** Questions so far, of all jobs. */
let asked = 0;

/** Asks the host and blocks until it answers, at most `waitMs`; null when it does not answer in time. */
function askHost(no: number, text: string, waitMs: number): string | null {
  const at = ++asked;
  const end = performance.now() + waitMs;
  Atomics.store(cells, BELL, SILENT);
  say({ no, ask: text, at });
  for (;;) {
    if (!isRungSoon()) Atomics.wait(cells, BELL, SILENT, Math.max(0, end - performance.now()));
    // Before the port is read: an answer that comes behind that rings again.
    Atomics.store(cells, BELL, SILENT);
    const answer = answerTo(at);
    if (answer !== null || performance.now() >= end) return answer;
  }
}

/** Null where it is not on the port. Answers to questions of before, whose script has given up waiting, are dropped: they may be another tenant's. */
function answerTo(at: number): string | null {
  for (;;) {
    const message = receiveMessageOnPort(line)?.message as HostMessage | undefined;
    if (message === undefined) return null;
    if (message.at === at) return message.text;
  }
}

/** Spins for a moment before the thread sleeps: most answers come sooner than a sleeping thread would wake. */
function isRungSoon(): boolean {
  for (const end = performance.now() + limits.jobs.spinMs; performance.now() < end;)
    if (Atomics.load(cells, BELL) === RUNG) return true;
  return false;
}

async function runJob({ no, slot, kind, body }: BeginMessage): Promise<void> {
  // The host may have taken the job back meanwhile.
  if (Atomics.compareExchange(cells, HANDED + slot, no, 0) !== no) return;
  const run = await loadJob(kind);
  // The budget counts from here, after loading.
  began[0] = process.hrtime.bigint();
  Atomics.store(cells, RUNNING, no);
  const result = await run(body as never, (text, waitMs) => askHost(no, text, waitMs));
  say({ no, result, ms: Number(process.hrtime.bigint() - began[0]) / NANOS });
}

/** Jobs that came as events while another job was loading or running. */
const waiting: BeginMessage[] = [];
let isAtWork = false;

/** The oldest job: one that came as an event, else one that is read from the port at once, without a turn of the event loop. */
function next(): BeginMessage | undefined {
  return waiting.shift() ?? (receiveMessageOnPort(parentPort!)?.message as BeginMessage | undefined);
}

/** Runs all jobs in the order in which they came, on which the host relies. */
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
