/**
 * Jobs by the `piscina` package, as plainly as it offers them: a task a job, its own queue, an AbortSignal for the budget, `resourceLimits`.
 * Only a running script's questions to its host go over a line beside it. It stands beside the product's pool in `jobs.bench.ts`.
 */
import { fileURLToPath } from 'node:url';
import { FixedQueue, Piscina } from 'piscina';
import type { HostLine, JobEnd, JobKind, JobKinds, Jobs } from '#actors/kit/jobs.ts';
import { limits } from '#config/limits.ts';
import { BELL, RUNG } from '#runtime/jobs/messages.ts';
import { CELLS, cellOf, type PiscinaTask, type PoolData, type ThreadLine } from './piscina-messages.ts';

interface Question {
  readonly no: number;
  readonly ask: string;
}

const NANOS = 1e6;
const noHost: HostLine = () => '{"error":"there is no host"}';

export class PiscinaJobs implements Jobs {
  readonly #hosts = new Map<number, HostLine>();
  readonly #pool: Piscina<PiscinaTask, unknown>;
  readonly #began = new BigInt64Array(new SharedArrayBuffer(8 * CELLS));
  #no = 0;

  constructor(threads: number) {
    this.#pool = new Piscina({
      filename: fileURLToPath(new URL('piscina.job.ts', import.meta.url)),
      name: 'runTask',
      minThreads: 0,
      maxThreads: threads,
      idleTimeout: limits.jobs.idleMs,
      taskQueue: new FixedQueue(),
      maxQueue: limits.jobs.queueDepthMax,
      env: {},
      workerData: { began: this.#began } satisfies PoolData,
      resourceLimits: limits.jobs.resources,
      recordTiming: false,
    });
    this.#pool.on('message', (thread: ThreadLine) => this.#hear(thread));
  }

  async run<K extends JobKind>(
    kind: K,
    body: JobKinds[K]['body'],
    budgetMs: number,
    host: HostLine = noHost,
  ): Promise<JobEnd<JobKinds[K]['result']>> {
    const no = ++this.#no;
    this.#began[cellOf(no)] = 0n;
    const budget = budgetOf(() => this.#began[cellOf(no)]!, budgetMs);
    this.#hosts.set(no, host);
    try {
      const result = await this.#pool.run({ no, kind, body }, { signal: budget.signal });
      return { kind: 'done', result: result as JobKinds[K]['result'] };
    } catch {
      return { kind: 'killed', why: budget.signal.aborted ? 'time' : 'crash' };
    } finally {
      budget.over();
      this.#hosts.delete(no);
    }
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }

  #hear({ line, cells }: ThreadLine): void {
    const answer = (text: string): void => {
      line.postMessage(text);
      Atomics.store(cells, BELL, RUNG);
      Atomics.notify(cells, BELL);
    };
    line.on('message', ({ no, ask }: Question) => {
      const given = this.#hosts.get(no)?.(ask);
      if (typeof given === 'string') answer(given);
      else void given?.then(answer);
    });
    line.unref();
  }
}

/** The package's signal counts from the queue; the budget from when the job began. */
function budgetOf(began: () => bigint, budgetMs: number): { readonly signal: AbortSignal; over(): void } {
  const controller = new AbortController();
  const look = (): void => {
    const from = began();
    const left = from === 0n ? budgetMs : budgetMs - Number(process.hrtime.bigint() - from) / NANOS;
    if (left > 0) timer = setTimeout(look, Math.ceil(left));
    else controller.abort();
  };
  let timer = setTimeout(look, budgetMs);
  return { signal: controller.signal, over: () => clearTimeout(timer) };
}
