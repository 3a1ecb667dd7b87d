/** What keeps the machine busy beside a measurement. */
import { Worker } from 'node:worker_threads';

export interface Neighbour {
  stop(): Promise<unknown>;
}

/** Measures while the neighbour is at it. */
export async function beside<T>(neighbour: Neighbour, measure: () => Promise<T>): Promise<T> {
  try {
    return await measure();
  } finally {
    await neighbour.stop();
  }
}

/** Threads that do nothing, as fast as they can. */
export function busyLoops(count: number): Neighbour {
  const loops = Array.from({ length: count }, () => new Worker('for (;;) {}', { eval: true }));
  return { stop: () => Promise.all(loops.map((loop) => loop.terminate())) };
}

/** So many callers, each of whom calls again when he has been answered. */
export function callers(count: number, call: (no: number) => Promise<void>): Neighbour {
  const state = { going: true };
  const loop = async (no: number): Promise<void> => {
    while (state.going) await call(no);
  };
  const loops = Array.from({ length: count }, (_, no) => loop(no));
  return {
    stop: () => {
      state.going = false;
      return Promise.all(loops);
    },
  };
}
