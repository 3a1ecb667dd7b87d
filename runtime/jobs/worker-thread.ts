/** A job thread: a worker with bounds on its memory and without an environment. */
import { MessageChannel, Worker } from 'node:worker_threads';
import { limits } from '#config/limits.ts';
import type { HostLine } from '#actors/kit/jobs.ts';
import type { BeginMessage, JobThreadData, ThreadMessage } from './messages.ts';
import { RUNG } from './messages.ts';
import type { JobThread } from './pool.ts';

interface Current {
  readonly no: number;
  readonly host: HostLine;
  readonly started: () => void;
  readonly end: (result: unknown) => void;
}

/** `fault` is told what ended a thread that ended by itself. */
export function startJobThread(fault: (error: unknown) => void): JobThread {
  const { port1: line, port2 } = new MessageChannel();
  const bell = new Int32Array(new SharedArrayBuffer(4));
  const workerData: JobThreadData = { line: port2, bell };
  const worker = new Worker(new URL('language.job.ts', import.meta.url), {
    workerData,
    transferList: [port2],
    env: {},
    stdout: true,
    stderr: true,
    resourceLimits: limits.jobs.resources,
  });
  // What a library prints (jq says that it aborted) is nobody's.
  worker.stdout.resume();
  worker.stderr.resume();
  let current: Current | null = null;
  let death: () => void = () => undefined;
  let no = 0;
  worker.on('error', fault); // the exit follows
  worker.on('exit', () => {
    line.close();
    death();
  });
  worker.on('message', (message: ThreadMessage) => {
    if (current === null || message.no !== current.no) return;
    if (message.part === 'started') return current.started();
    const { end } = current;
    current = null;
    end(message.result);
  });
  line.on('message', (text: string) => {
    const asked = current;
    if (asked === null) return;
    void Promise.resolve(asked.host(text)).then((answer) => {
      if (current !== asked) return;
      line.postMessage(answer);
      Atomics.store(bell, 0, RUNG);
      Atomics.notify(bell, 0);
    });
  });
  worker.unref();
  line.unref();
  return {
    begin(kind, body, host, started, end) {
      current = { no: ++no, host, started, end };
      worker.postMessage({ no, kind, body } satisfies BeginMessage);
    },
    kill() {
      current = null;
      death = () => undefined;
      void worker.terminate();
    },
    onDeath(listener) {
      death = listener;
    },
  };
}
