/** The thread's side of `piscina-jobs.ts`: what `runtime/jobs/language.job.ts` does, as a handler of the package's worker. */
import { MessageChannel, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { limits } from '#config/limits.ts';
import { BELL, RUNG, SILENT } from '#runtime/jobs/messages.ts';
import { loadJob } from '#runtime/jobs/kinds.ts';
import { cellOf, type PiscinaTask, type PoolData, type ThreadLine } from './piscina-messages.ts';

const { began } = workerData as PoolData;
const { port1: line, port2 } = new MessageChannel();
const cells = new Int32Array(new SharedArrayBuffer(4 * (BELL + 1)));

// Before the package says that the thread is ready: the host has the line when the first script asks.
parentPort!.postMessage({ line: port2, cells } satisfies ThreadLine, [port2]);

/** The package opens no stream that could be dropped. */
const dropped = (): boolean => true;
process.stdout.write = dropped;
process.stderr.write = dropped;

function askHost(no: number, text: string, waitMs: number): string | null {
  Atomics.store(cells, BELL, SILENT);
  line.postMessage({ no, ask: text });
  if (!isRungSoon()) Atomics.wait(cells, BELL, SILENT, waitMs);
  return (receiveMessageOnPort(line)?.message as string | undefined) ?? null;
}

function isRungSoon(): boolean {
  for (const end = performance.now() + limits.jobs.spinMs; performance.now() < end;)
    if (Atomics.load(cells, BELL) === RUNG) return true;
  return false;
}

export async function runTask({ no, kind, body }: PiscinaTask): Promise<unknown> {
  const run = await loadJob(kind);
  began[cellOf(no)] = process.hrtime.bigint();
  return run(body as never, (text, waitMs) => askHost(no, text, waitMs));
}
