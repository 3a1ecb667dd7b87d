/** A process that holds keys leaves no image of its memory behind: setrlimit(2), RLIMIT_CORE. */
import { loadC } from '#storage/libc.ts';

const RLIMIT_CORE = 4;
/** struct rlimit: two numbers of eight bytes, the soft and the hard limit; both zero. */
const RLIMIT_BYTES = 16;

/** From now on the kernel writes no core of this process. Throws where it cannot be had: who serves keys must know. */
export async function forbidCoreDumps(): Promise<void> {
  if (process.platform !== 'linux' && process.platform !== 'darwin') return;
  const setrlimit = await loadC<(what: number, limit: Buffer) => number>('int setrlimit(int what, void *limit)');
  if (setrlimit(RLIMIT_CORE, Buffer.alloc(RLIMIT_BYTES)) !== 0)
    throw new Error('core dumps cannot be turned off\n    set LimitCORE=0 (systemd) or ulimit -c 0');
}
