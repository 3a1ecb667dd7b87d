/** Room on the disk of the data for what lies there for moments: rows need it more. */
import { statfs } from 'node:fs/promises';
import { makeDirectory } from '../directory.ts';

export interface ScratchRoom {
  /** A directory on the disk; made where it is missing. */
  readonly scratch: string;
  /** What the disk must keep free. */
  readonly freeBytesMin: number;
}

/** Rejects where `what`, of so many bytes, would leave less than that. */
export async function assertRoom(what: string, bytes: number, { scratch, freeBytesMin }: ScratchRoom): Promise<void> {
  const { bavail, bsize } = await statfs(makeDirectory(scratch));
  const left = bavail * bsize - bytes;
  if (left >= freeBytesMin) return;
  throw new Error(
    `${what} (up to ${bytes} bytes) would leave ${left} bytes free on the disk of ${scratch}, less than storage.free_bytes_min\n    make room on it`,
  );
}
