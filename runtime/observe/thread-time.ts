/** The processor time of the calling thread. What Node has (`process.threadCpuUsage`) goes forward by the kernel's ticks: 4 ms. */
import { loadC } from '#storage/libc.ts';

/** time.h */
const CLOCK_THREAD_CPUTIME_ID = process.platform === 'darwin' ? 16 : 3;

/** Gives milliseconds of processor time, with fractions, of the thread that calls. */
export async function loadThreadTime(): Promise<() => number> {
  const read = await loadC<(clock: number, time: BigInt64Array) => number>('int clock_gettime(int clock, void *time)');
  const time = new BigInt64Array(2);
  return () => {
    read(CLOCK_THREAD_CPUTIME_ID, time);
    return Number(time[0]) * 1000 + Number(time[1]) / 1e6;
  };
}
