/** The neighbour: a row of another tenant of the same host, read by its id at a constant rate, from a thread of its own. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Place } from './send.ts';

export interface Watched {
  /** The longest wait for an answer, counted from when the request was due. */
  readonly longestMs: number;
  readonly answers: number;
  /** Answers other than 200. */
  readonly refused: number;
}

export class Victim {
  readonly #worker: Worker;

  private constructor(worker: Worker) {
    this.#worker = worker;
  }

  /** Makes the row that it reads. */
  static async open(place: Place): Promise<Victim> {
    const workerData = { ...place, path: await rowOf(place) };
    const worker = new Worker(new URL('./victim.worker.ts', import.meta.url), { workerData });
    await once(worker, 'message');
    return new Victim(worker);
  }

  /** Reads from now on until what is awaited has settled. */
  async watch(until: Promise<unknown>): Promise<Watched> {
    this.#worker.postMessage('watch');
    await until.catch(() => undefined);
    this.#worker.postMessage('stop');
    const [seen] = (await once(this.#worker, 'message')) as [Watched];
    return seen;
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}

/** Makes the row; gives its path. */
async function rowOf({ gateway, headers }: Place): Promise<string> {
  const init = {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: '{"name":"victim"}',
  };
  const answer = await fetch(`${gateway}/data/rest/note`, init);
  const text = await answer.text();
  if (answer.status !== 201) throw new Error(`the victim's row was answered ${answer.status} ${text.slice(0, 200)}`);
  return `/data/rest/note/id/${(JSON.parse(text) as { data: { id: string }[] }).data[0]!.id}`;
}
