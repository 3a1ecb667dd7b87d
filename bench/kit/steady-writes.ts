/** Creates at a fixed rate, from a process of their own: what reads changes beside them does not hold them up. */
import { fork } from 'node:child_process';
import { once } from 'node:events';

export interface SteadyAsk {
  readonly gateway: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The number of the first row; each further one has the next. */
  readonly first: number;
  readonly perSecond: number;
  readonly seconds: number;
}

export interface SteadyWrites {
  /** When each write was answered, in order of numbers (monotonic.ts). */
  readonly answeredAt: readonly number[];
  /** From the moment that each was due to its answer. */
  readonly tookMs: readonly number[];
  readonly errors: number;
  readonly perSecond: number;
}

export interface SteadyWriter {
  write(ask: SteadyAsk): Promise<SteadyWrites>;
  end(): void;
}

export function steadyWriter(): SteadyWriter {
  const child = fork(new URL('./steady-writes.process.ts', import.meta.url), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const gone = once(child, 'exit').then(([code]) => Promise.reject(new Error(`the writer ended with ${String(code)}`)));
  gone.catch(() => undefined);
  return {
    async write(ask) {
      child.send(ask);
      const [writes] = (await Promise.race([once(child, 'message'), gone])) as [SteadyWrites];
      return writes;
    },
    end: () => void child.kill(),
  };
}
