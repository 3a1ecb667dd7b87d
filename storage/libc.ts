/** The bridge to the C library, for the few calls that Node lacks. Only a thread that needs one pays for it: 6 ms and 1 MB. */

import { beginNative, endNative } from './native-guard.ts';

/** A function of the C library by its declaration, `int flock(int fd, int operation)`; called synchronously. */
export async function loadC<F>(declaration: string): Promise<F> {
  if (!beginNative()) return new Promise<never>(() => undefined);
  try {
    const { default: koffi } = await import('koffi');
    const libc = koffi.load(process.platform === 'darwin' ? 'libSystem.dylib' : 'libc.so.6');
    return libc.func(declaration) as F;
  } finally {
    endNative();
  }
}
