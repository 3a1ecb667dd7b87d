/** Faults of an S3-speaking store. */

/** The store did not do what it was asked, or its answer makes no sense. */
export class S3Failed extends Error {}

/** Runs work on the store. Throws S3Failed. */
export async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof S3Failed) throw error;
    throw new S3Failed(`the S3 store: ${(error as Error).message}`, { cause: error });
  }
}

/** A number of bytes that the store has named. */
export function bytesSaid(size: number): number {
  if (Number.isSafeInteger(size) && size >= 0) return size;
  throw new S3Failed(`the S3 store: ${size} is no size`);
}
