/** Turns core dumps off, since they would contain the keys in memory: setrlimit(2), RLIMIT_CORE. */
import { loadC } from '#storage/libc.ts';

const RLIMIT_CORE = 4;
/** struct rlimit: two numbers of eight bytes, the soft and the hard limit; both zero. */
const RLIMIT_BYTES = 16;

/** From now on the kernel writes no core dump of this process. Throws where the limit cannot be set; without effect on systems other than Linux and macOS. */
export async function forbidCoreDumps(): Promise<void> {
  if (process.platform !== 'linux' && process.platform !== 'darwin') return;
  const setrlimit = await loadC<(what: number, limit: Buffer) => number>('int setrlimit(int what, void *limit)');
  if (setrlimit(RLIMIT_CORE, Buffer.alloc(RLIMIT_BYTES)) !== 0)
    throw new Error('core dumps cannot be turned off\n    set LimitCORE=0 (systemd) or ulimit -c 0');
}
