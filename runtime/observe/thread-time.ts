/** The processor time of the calling thread. Node's own (`process.threadCpuUsage`) has the resolution of the kernel's ticks, 4 ms. */
import { loadC } from '#storage/libc.ts';

/** time.h */
const CLOCK_THREAD_CPUTIME_ID = process.platform === 'darwin' ? 16 : 3;

/** Gives a function that reads the calling thread's processor time in milliseconds, with fractions. */
export async function loadThreadTime(): Promise<() => number> {
  const read = await loadC<(clock: number, time: BigInt64Array) => number>('int clock_gettime(int clock, void *time)');
  const time = new BigInt64Array(2);
  return () => {
    read(CLOCK_THREAD_CPUTIME_ID, time);
    return Number(time[0]) * 1000 + Number(time[1]) / 1e6;
  };
}
