/** What the threads of this process use, and where their processor time goes. V8's inspector reaches every worker from the main thread, without their help. */
import { Session } from 'node:inspector/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import { limits } from '#config/limits.ts';

/** For people. `workers`: used and total bytes of the JavaScript heap of each worker, or why it said nothing. */
export type ProcessFigures = Readonly<Record<string, unknown>> & { readonly pid: number };

interface Answer {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

const ANSWER_MS = limits.debug.threadAnswerMs;
/** Workers are attached in turns of the event loop; one that comes later is missing from the answer. */
const ATTACH_MS = ANSWER_MS / 10;

/** Memory and processor time of this process, and the heap of each of its threads. */
export async function threadFigures(): Promise<ProcessFigures> {
  const workers = await withThreads([], async (threads) => {
    await sleep(ATTACH_MS);
    return threads.askAll('Runtime.getHeapUsage');
  });
  return {
    pid: process.pid,
    uptime_s: Math.round(process.uptime()),
    memory: process.memoryUsage(),
    usage: process.resourceUsage(),
    main_heap: getHeapStatistics(),
    workers,
  };
}

let isProfiling = false;

/** A V8 profile of each thread, by its name, over so many milliseconds. Throws where one is under way, or the time is out of bounds. */
export async function profileThreads(ms: number): Promise<Readonly<Record<string, unknown>>> {
  const max = limits.debug.profileMsMax;
  if (!Number.isInteger(ms) || ms < 1 || ms > max) throw new Error(`a profile takes 1 ms to ${max / 1000} s`);
  if (isProfiling) throw new Error('a profile is being made: wait until it has ended');
  isProfiling = true;
  try {
    return await withThreads(['Profiler.enable', 'Profiler.start'], async (threads, session) => {
      await session.post('Profiler.enable');
      await session.post('Profiler.start');
      await sleep(ms);
      const main = await session.post('Profiler.stop');
      return { main, ...(await threads.askAll('Profiler.stop')) };
    });
  } finally {
    isProfiling = false;
  }
}

/** `first`: what each worker is asked as soon as it is attached, and each one that starts meanwhile. */
async function withThreads<T>(
  first: readonly string[],
  use: (threads: Threads, session: Session) => Promise<T>,
): Promise<T> {
  const session = new Session();
  session.connect();
  try {
    const threads = new Threads(session, first);
    await session.post('NodeWorker.enable', { waitForDebuggerOnStart: false });
    return await use(threads, session);
  } finally {
    session.disconnect();
  }
}

/** The workers of this process, as the inspector shows them. */
class Threads {
  readonly #session: Session;
  /** Title by session. */
  readonly #titles = new Map<string, string>();
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #asked = 0;

  constructor(session: Session, first: readonly string[]) {
    this.#session = session;
    session.on('NodeWorker.attachedToWorker', ({ params: { sessionId, workerInfo } }) => {
      this.#titles.set(sessionId, workerInfo.title);
      for (const method of first) void this.#ask(sessionId, method);
    });
    session.on('NodeWorker.receivedMessageFromWorker', ({ params: { message } }) => {
      const answer = JSON.parse(message) as Answer;
      this.#waiting.get(answer.id)?.(answer);
    });
  }

  /** What every worker answers, by its title. */
  async askAll(method: string): Promise<Record<string, unknown>> {
    const asked = [...this.#titles].map(async ([id, title]) => [title, await this.#ask(id, method)] as const);
    return Object.fromEntries(await Promise.all(asked));
  }

  /** The answer, or why there is none: a thread that stands still, or has ended, is itself something to know. */
  async #ask(sessionId: string, method: string): Promise<unknown> {
    const id = ++this.#asked;
    const { promise, resolve } = Promise.withResolvers<Answer>();
    this.#waiting.set(id, resolve);
    const late = setTimeout(() => resolve({ id, error: { message: 'the thread does not answer' } }), ANSWER_MS);
    try {
      await this.#session.post('NodeWorker.sendMessageToWorker', {
        sessionId,
        message: JSON.stringify({ id, method }),
      });
      const { result, error } = await promise;
      return error === undefined ? result : { error: error.message };
    } catch (error) {
      return { error: (error as Error).message };
    } finally {
      clearTimeout(late);
      this.#waiting.delete(id);
    }
  }
}
