/** The bridge to the C library, for the few calls that Node lacks. Only a thread that needs one pays for it: 6 ms and 1 MB. */

/** A function of the C library by its declaration, `int flock(int fd, int operation)`; called synchronously. */
export async function loadC<F>(declaration: string): Promise<F> {
  const { default: koffi } = await import('koffi');
  const libc = koffi.load(process.platform === 'darwin' ? 'libSystem.dylib' : 'libc.so.6');
  return libc.func(declaration) as F;
}
