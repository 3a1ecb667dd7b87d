import { join } from 'node:path';

/** The file with the pages of LMDB's environment in `directory`. */
export function dataFile(directory: string): string {
  return join(directory, 'data.mdb');
}
