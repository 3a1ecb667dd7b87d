/** A job thread: a worker with bounds on its memory, and without an environment but for where compiled code is kept. */
import { MessageChannel, Worker } from 'node:worker_threads';
import { limits } from '#config/limits.ts';
import type { HostLine } from '#actors/kit/jobs.ts';
import { programUrl } from '../place.ts';
import type { BeginMessage, HostMessage, JobThreadData, ThreadMessage } from './messages.ts';
import { BELL, CELLS, HANDED, RUNG, RUNNING } from './messages.ts';
import type { JobThread } from './pool.ts';

interface Handed {
  readonly no: number;
  readonly slot: number;
  readonly host: HostLine;
  readonly end: (result: unknown, ms: number) => void;
}

const NO_MAX = 2 ** 30;
const NANOS = 1e6;

/** A thread that finds no compiled code compiles two megabytes before its first job. */
function codeCache(): NodeJS.ProcessEnv {
  const { NODE_COMPILE_CACHE } = process.env;
  return NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };
}

/** Starts a job thread. `fault` is called with the error of a thread that ends by itself. */
export function startJobThread(fault: (error: unknown) => void): JobThread {
  const { port1: line, port2 } = new MessageChannel();
  const cells = new Int32Array(new SharedArrayBuffer(4 * CELLS));
  const began = new BigInt64Array(new SharedArrayBuffer(8));
  const workerData: JobThreadData = { line: port2, cells, began };
  const worker = new Worker(programUrl('runtime/jobs/language.job.ts'), {
    workerData,
    transferList: [port2],
    env: codeCache(),
    stdout: true,
    stderr: true,
    resourceLimits: limits.jobs.resources,
  });
  // Libraries print too (jq, that it aborted); that text is of no use to an operator and is dropped.
  worker.stdout.resume();
  worker.stderr.resume();
  /** The running job and the one in hand. */
  let jobs: readonly Handed[] = [];
  let death: () => void = () => undefined;
  let no = 0;
  const of = (message: ThreadMessage): Handed | undefined => jobs.find((job) => job.no === message.no);
  const answer = (asked: Handed, at: number, text: string): void => {
    if (!jobs.includes(asked)) return;
    line.postMessage({ at, text } satisfies HostMessage);
    Atomics.store(cells, BELL, RUNG);
    Atomics.notify(cells, BELL);
  };
  worker.on('error', fault); // the exit follows
  worker.on('exit', () => {
    line.close();
    death();
  });
  line.on('message', (message: ThreadMessage) => {
    const job = of(message);
    if (job === undefined) return;
    if ('ask' in message) {
      const given = job.host(message.ask);
      const { at } = message;
      if (typeof given === 'string') answer(job, at, given);
      else void given.then((text) => answer(job, at, text));
      return;
    }
    jobs = jobs.filter((other) => other !== job);
    job.end(message.result, message.ms);
  });
  worker.unref();
  line.unref();
  return {
    begin(kind, body, host, end) {
      const slot = jobs.length === 0 ? 0 : 1 - jobs[0]!.slot;
      no = (no % NO_MAX) + 1;
      jobs = [...jobs, { no, slot, host, end }];
      Atomics.store(cells, HANDED + slot, no);
      worker.postMessage({ no, slot, kind, body } satisfies BeginMessage);
    },
    withdraw() {
      const [job, ahead] = jobs;
      if (ahead === undefined || Atomics.compareExchange(cells, HANDED + ahead.slot, ahead.no, 0) !== ahead.no)
        return false;
      jobs = [job!];
      return true;
    },
    ranMs() {
      const [job, ahead] = jobs;
      const running = Atomics.load(cells, RUNNING);
      if (ahead !== undefined && running === ahead.no) return 0; // that the first has ended is on its way
      return job === undefined || running !== job.no ? null : Number(process.hrtime.bigint() - began[0]!) / NANOS;
    },
    kill() {
      jobs = [];
      death = () => undefined;
      void worker.terminate();
    },
    onDeath(listener) {
      death = listener;
    },
  };
}
