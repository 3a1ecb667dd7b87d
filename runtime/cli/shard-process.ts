/** Runs work over shards in a separate process, and continues with the next shard where damaged pages ended the process. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Unread } from '#storage/check.ts';
import { programUrl } from '../place.ts';
import { ANSWERS_FD, type ShardAnswers, type ShardLine, type ShardVerb, type WorkOptions } from './shard-work.ts';

export interface ShardWork {
  readonly dir: string;
  readonly shards: readonly number[];
  readonly options?: WorkOptions;
  /** Receives what the work writes to its standard output. */
  readonly out?: (bytes: Uint8Array) => void;
}

/** A shard's answer, or the reason why there is none. */
export type ShardOutcome<V extends ShardVerb> =
  | { readonly no: number; readonly answer: ShardAnswers[V] }
  | { readonly no: number; readonly unread: Unread };

const PROCESS = fileURLToPath(programUrl('runtime/cli/shard-work.process.ts'));
/** Signals that end a process over damaged memory. Other signals come from outside and say nothing about a shard. */
const CRASHES: readonly (NodeJS.Signals | null)[] = ['SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGILL', 'SIGSEGV', 'SIGTRAP'];
/** The first of what a process says on its error stream. */
const ERROR_CHARS_MAX = 4096;

/** One outcome for each shard, in order. Throws where the process ends for another reason than damaged pages. */
export async function* workOnShards<V extends ShardVerb>(verb: V, work: ShardWork): AsyncGenerator<ShardOutcome<V>> {
  let left = work.shards;
  while (left.length > 0) {
    const child = new ShardProcess(verb, { ...work, shards: left });
    try {
      for await (const line of child.lines<V>()) {
        yield outcomeOf(left[0]!, line);
        left = left.slice(1);
      }
      const [no] = left;
      if (no === undefined) return;
      yield { no, unread: await child.crash(no) };
      left = left.slice(1);
    } finally {
      child.end();
    }
  }
}

/** The outcome of work on one shard. */
export async function workOnShard<V extends ShardVerb>(verb: V, dir: string, no: number): Promise<ShardOutcome<V>> {
  for await (const outcome of workOnShards(verb, { dir, shards: [no] })) return outcome;
  throw new Error(`no answer about shard ${no}`);
}

function outcomeOf<V extends ShardVerb>(no: number, line: ShardLine<V>): ShardOutcome<V> {
  return 'answer' in line ? { no, answer: line.answer } : { no, unread: line.error };
}

class ShardProcess {
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown[]>;
  #errors = '';

  constructor(verb: ShardVerb, { dir, shards, options, out }: ShardWork) {
    const words = [PROCESS, verb, dir, shards.join(','), JSON.stringify(options ?? {})];
    this.#child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...words], {
      // As the launcher sets it: each commit of LMDB occupies a thread of the pool.
      env: { UV_THREADPOOL_SIZE: '64', ...process.env },
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    });
    this.#closed = once(this.#child, 'close');
    // crash() reports a process that does not start.
    this.#closed.catch(() => undefined);
    this.#child.stdout!.on('data', (bytes: Uint8Array) => out?.(bytes));
    this.#child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.#errors = (this.#errors + text).slice(0, ERROR_CHARS_MAX);
    });
  }

  async *lines<V extends ShardVerb>(): AsyncGenerator<ShardLine<V>> {
    const answers = this.#child.stdio[ANSWERS_FD] as Readable;
    for await (const line of createInterface({ input: answers })) yield JSON.parse(line) as ShardLine<V>;
    await this.#closed;
  }

  /** Why the process ended without an answer about a shard: damaged pages; any other reason throws. */
  async crash(no: number): Promise<Unread> {
    await this.#closed;
    const { exitCode, signalCode } = this.#child;
    const [said = ''] = this.#errors.trim().split('\n');
    const how = [signalCode ?? `code ${exitCode}`, ...(said === '' ? [] : [said])].join(': ');
    if (CRASHES.includes(signalCode)) return { what: `reading it ended the process by ${how}`, pages: true };
    throw new Error(
      `the process that read shard ${no} ended by ${how}\n    that says nothing of the shard: run the command again`,
    );
  }

  /** Ends the process when its answers are not needed any more. */
  end(): void {
    this.#child.kill();
  }
}
